## Shapes and their areas, "Größe".
import std/[math, strutils]
from os import nil

const
  Limit = 100
  Greeting = "Grüße 🎉"

var count = 0
let scale: float = 1.5

type
  ## A kind.
  Kind* = enum
    round, square

  Point* = object
    x, y: float

  # A shape.
  Shape = ref object of RootObj
    name*: string
    case kind: Kind
    of round: radius: float
    of square: side: float

  Callback = proc (x: int): int

proc area*(s: Shape): float =
  ## The area of a shape.
  ## Never negative.
  proc inner(x: float): float = x * x
  case s.kind
  of round: PI * inner(s.radius)
  of square: inner(s.side)

# Twice as much.
func double[T](x: T): T {.inline.} =
  x * 2

method draw(s: Shape) {.base.} =
  echo "é"

iterator items(p: Point): float =
  yield p.x
  yield p.y

template swap2(a, b: untyped) =
  let tmp = a
  a = b
  b = tmp

macro debug(n: untyped): untyped =
  result = n

converter toFloat(k: Kind): float = float(ord(k))

proc `+`*(a, b: Point): Point =
  Point(x: a.x + b.x, y: a.y + b.y)

proc later(x: int): int

when isMainModule:
  echo area(Shape(kind: round, radius: 1.0))
