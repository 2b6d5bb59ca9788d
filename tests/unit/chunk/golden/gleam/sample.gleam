//// Shapes and their areas.

import gleam/io
import gleam/list.{map}

/// How much fits.
pub const limit = 100

const greeting: String = "Grüße 🎉"

/// A shape, "Größe".
/// It is flat.
pub type Shape {
  Circle(radius: Float)
  Square(side: Float)
  Empty
}

pub opaque type Secret {
  Secret(value: Int)
}

pub type Pair(a) =
  #(a, a)

/// The area of a shape.
pub fn area(shape: Shape) -> Float {
  let square = fn(x) { x *. x }
  case shape {
    Circle(radius) -> 3.14 *. square(radius)
    Square(side) -> square(side)
    Empty -> 0.0
  }
}

// Adds two numbers.
fn add(a: Int, to b: Int) -> Int {
  a + b
}

@external(erlang, "shapes_ffi", "now")
pub fn now() -> Int

@deprecated("Use add")
pub fn plus(a, b) {
  add(a, b)
}

pub fn main() {
  io.println(greeting)
  [1, 2]
  |> map(fn(x) { x + 1 })
}
