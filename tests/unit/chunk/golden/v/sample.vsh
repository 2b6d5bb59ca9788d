// Shapes and their areas.
module shapes

import os
import math { sqrt }

const limit = 100
const greeting = 'Grüße 🎉'

__global count = 0

// A kind of shape, "Größe".
pub enum Kind {
	round
	square = 4
}

// A place.
pub struct Point {
pub mut:
	x f64
	y f64
	name string = 'é'
}

interface Drawable {
	draw() string
}

type Number = f64 | int

union Raw {
	i int
	f f32
}

// area is the area of a shape.
// It is never negative.
pub fn area(p Point, factor f64) f64 {
	inner := fn (x f64) f64 {
		return x * x
	}
	return inner(p.x) * factor
}

// draw draws it.
fn (p Point) draw() string {
	return p.name
}

pub fn (mut p Point) move(by f64) {
	p.x += by
}

fn (a Point) + (b Point) Point {
	return Point{ x: a.x + b.x, y: a.y + b.y }
}

fn first<T>(list []T) T {
	return list[0]
}

fn test_area() {
	assert area(Point{}, 1) == 0
}

fn main() {
	println(area(Point{ x: 1 }, 2))
}
