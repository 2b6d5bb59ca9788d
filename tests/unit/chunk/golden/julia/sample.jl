# Licence.

"""
Rate limits.
"""
module Limits

using LinearAlgebra
import Base: show, +
export Bucket, take!

# How many.
const LIMIT = 100
größe = "🎉"
global counter = 0

"""
    Bucket{T}

A bucket that leaks.
"""
struct Bucket{T<:Real} <: AbstractBucket{T}
    "How many fit."
    size::Int
    items::Vector{T}
    Bucket{T}(n) where {T} = new{T}(n, T[])
end

mutable struct Point
    x::Float64
    y
end

Base.@kwdef struct Options
    name::String = "é"
end

abstract type AbstractBucket{T} end
primitive type Byte 8 end

@enum Level low=1 high

"Takes one."
function take!(bucket::Bucket{T}, count::Int=1; wait=true)::T where {T<:Real}
    helper(x) = x + 1
    function inner(y)
        y
    end
    local z = 1
    return helper(count)
end

# Adds.
add(a, b) = a + b
square(x::T) where {T} = x^2
+(a::Point, b::Point) = Point(a.x + b.x, a.y)
Base.show(io::IO, p::Point) = print(io, "🎉")
lambda = x -> x + 1
const anonymous = function (x) x end

function Base.length(b::Bucket)
    b.size
end

function (b::Bucket)(x)
    x
end

function stub end

"Traces."
macro trace(ex)
    esc(ex)
end

@inline fast(x) = x
@generated function gen(x)
    :(x)
end

module Inner
    deep() = 1
end

baremodule Bare end

end # module

@testset "Bucket" begin
    @test 1 == 1
end
