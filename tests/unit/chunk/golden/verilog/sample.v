// A counter and its parts.
`timescale 1ns / 1ps
`define WIDTH 8
`include "common.vh"

// Counts up, "Zähler".
// It wraps around.
module counter #(
    parameter WIDTH = 8,
    parameter STEP = 1
) (
    input  wire             clk,
    input  wire             reset,
    output reg  [WIDTH-1:0] value
);
    localparam LIMIT = 255;
    wire overflow;
    reg [7:0] memory [0:15];

    assign overflow = (value == LIMIT);

    // Adds one.
    function [WIDTH-1:0] next;
        input [WIDTH-1:0] v;
        begin
            next = v + STEP;
        end
    endfunction

    task show;
        input [7:0] code;
        begin
            $display("größe %d 🎉", code);
        end
    endtask

    always @(posedge clk or posedge reset) begin : main
        if (reset)
            value <= 0;
        else
            value <= next(value);
    end

    initial begin
        value = 0;
    end

    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : bits
            buffer b(.in(value[i]));
        end
    endgenerate

    counter2 #(.WIDTH(4)) inner (.clk(clk), .value());
endmodule

module buffer(input in, output out);
    assign out = in;
endmodule

primitive majority(out, a, b);
    output out;
    input a, b;
    table
        0 0 : 0;
        1 1 : 1;
    endtable
endprimitive
