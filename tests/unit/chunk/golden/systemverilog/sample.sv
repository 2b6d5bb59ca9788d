// A bus and its test.
package bus_pkg;
  parameter int WIDTH = 8;

  // A kind of transfer, "Größe".
  typedef enum logic [1:0] { READ, WRITE } kind_t;

  typedef struct packed {
    logic [7:0] data;
    kind_t      kind;
  } transfer_t;

  function automatic int double(int x);
    return x * 2;
  endfunction
endpackage

// How parts talk.
interface bus_if #(parameter int W = 8) (input logic clk);
  logic [W-1:0] data;
  logic         valid;

  modport master (output data, output valid);
  modport slave  (input data, input valid);
endinterface

/* A driver. */
class driver extends base;
  rand int count;
  static int total = 0;

  // Makes one.
  function new(string name);
    super.new(name);
  endfunction

  virtual task run();
    $display("é 🎉");
  endtask

  function int next(int x);
    return x + 1;
  endfunction

  constraint small { count < 10; }
endclass

module top import bus_pkg::*; (
  input  logic clk,
  output logic done
);
  localparam int LIMIT = 100;

  bus_if bus(clk);

  always_ff @(posedge clk) begin
    done <= 1'b1;
  end

  property stable;
    @(posedge clk) done |-> done;
  endproperty

  covergroup cg @(posedge clk);
    coverpoint done;
  endgroup
endmodule

program test;
  initial begin
    $finish;
  end
endprogram
