-- Shapes and their areas.
with Ada.Text_IO; use Ada.Text_IO;
with Ada.Strings.Unbounded;

-- A package of shapes, "Größe".
-- It is small.
package body Shapes is

   Limit : constant Integer := 100;
   Count : Natural := 0;

   type Kind is (Round, Square);
   type Point is record
      X : Float;
      Y : Float;
   end record;
   type Shape is tagged private;
   subtype Small is Integer range 0 .. 10;
   type Numbers is array (1 .. 10) of Integer;

   Too_Large : exception;

   -- Adds two numbers.
   function Add (A, B : Integer) return Integer is
      function Inner (X : Integer) return Integer is
      begin
         return X;
      end Inner;
   begin
      return Inner (A) + B;
   end Add;

   function Half (X : Integer) return Integer is (X / 2);

   procedure Show (P : in Point) is
   begin
      Put_Line ("é 🎉");
   end Show;

   procedure Later (X : out Integer);

   function "+" (A, B : Point) return Point is
   begin
      return (A.X + B.X, A.Y + B.Y);
   end "+";

   generic
      type Item is private;
   procedure Swap (A, B : in out Item);

   task type Worker is
      entry Start;
   end Worker;

   task body Worker is
   begin
      accept Start;
   end Worker;

   protected type Counter is
      procedure Increment;
   private
      Value : Integer := 0;
   end Counter;

   package Inner_Package is
      Deep : Integer := 1;
   end Inner_Package;

begin
   Count := 1;
end Shapes;
