/// A shop in a file, "Läden".
module shop.core;

import std.stdio;
import std.algorithm : map, filter;
import str = std.string;

enum LIMIT = 100;
immutable string greeting = "Grüße 🎉";
int count = 0;
alias Price = double;

/// How one pays.
enum Payment : int { cash, card }

/**
 * What has a price.
 */
interface Priced
{
    double price() const;
}

/// A place.
struct Point
{
    int x, y;

    this(int x, int y) { this.x = x; this.y = y; }

    ~this() {}

    Point opBinary(string op)(Point other) if (op == "+")
    {
        return Point(x + other.x, y + other.y);
    }
}

union Number { int i; float f; }

// A loaf of bread.
class Loaf : Priced
{
    private string name;

    this(string name)
    {
        this.name = name;
    }

    override double price() const { return 2.5; }

    @property string title() { return name; }

    static Loaf make() { return new Loaf("é"); }

    class Crust { int hardness; }
}

abstract class Later { abstract void soon(); }

/// Adds two numbers.
T add(T)(T a, T b)
{
    T inner(T x) { return x; }
    return inner(a) + b;
}

auto square = (int x) => x * x;

template Twice(T)
{
    alias Twice = T[2];
}

mixin template Counted() { int counted; }

@safe pure nothrow int half(int x) { return x / 2; }

unittest
{
    assert(add(1, 2) == 3);
}

version (Windows) { void onWindows() {} }

void main(string[] args)
{
    writeln(greeting);
}
