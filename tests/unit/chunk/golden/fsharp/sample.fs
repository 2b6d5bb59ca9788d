// Shapes and their areas.
namespace Shapes.Core

open System
open System.Collections.Generic

/// A kind of shape, "Größe".
type Shape =
    | Circle of radius: float
    | Square of side: float
    | Empty

/// A place.
[<Struct>]
type Point = { X: float; Y: float }

type Name = string

type IArea =
    abstract member Area: unit -> float

type Direction =
    | North = 0
    | South = 1

/// A box with a lid.
type Box(width: float, height: float) =
    let mutable opened = false
    new() = Box(1.0, 1.0)
    member this.Width = width
    /// Opens it.
    member this.Open() =
        opened <- true
    static member Unit = Box(1.0, 1.0)
    interface IArea with
        member this.Area() = width * height

exception TooLarge of string

/// What one computes.
module Areas =
    let limit = 100.0

    /// The area of a shape.
    let area (shape: Shape) : float =
        let square x = x * x
        match shape with
        | Circle r -> Math.PI * square r
        | Square s -> square s
        | Empty -> 0.0

    let rec factorial n = if n <= 1 then 1 else n * factorial (n - 1)

    let (|Large|Small|) x = if x > limit then Large else Small

    let inline (+.) a b = a + b

    let greeting = "Grüße 🎉"

    module Inner =
        let deep () = 1

    type Local = { Value: int }

[<EntryPoint>]
let main argv = 0
