-- A counter and its package.
library ieee;
use ieee.std_logic_1164.all;

-- What all parts share, "Größe".
package counter_pkg is
  constant LIMIT : integer := 100;
  type state_t is (IDLE, BUSY);
  subtype small_t is integer range 0 to 10;
  type pair_t is record
    left  : integer;
    right : integer;
  end record;
  function double(x : integer) return integer;
  procedure show(x : in integer);
  component part is
    port (clk : in std_logic);
  end component;
end package counter_pkg;

package body counter_pkg is
  function double(x : integer) return integer is
  begin
    return x * 2;
  end function double;

  procedure show(x : in integer) is
  begin
    report "ok";
  end procedure show;
end package body counter_pkg;

-- Counts up.
-- It wraps around.
entity counter is
  generic (WIDTH : integer := 8);
  port (
    clk   : in  std_logic;
    value : out integer
  );
end entity counter;

architecture behaviour of counter is
  signal current : integer := 0;
  constant STEP : integer := 1;
begin
  -- Adds one.
  main : process (clk)
    variable local : integer;
  begin
    if rising_edge(clk) then
      current <= current + STEP;
    end if;
  end process main;

  value <= current;
end architecture behaviour;
