"""Rate limits: a module's docstring documents no symbol."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

# How many requests a client may make.
LIMIT: int = 100
naïve, ratio = "🎉", 0.5
größe = "🎉🎉"; after = 2

type Pair[A] = tuple[A, A]

# A shorthand, not a def.
square = lambda x: x * x  # noqa: E731


class QuotaError(Exception): ...


@dataclass(frozen=True)
# Between decorator and class.
class Bucket(Generic[T]):
    """A leaky bucket.

    It leaks.
    """

    size: int = LIMIT
    items: list[T] = field(default_factory=list)
    SHARED = 3

    def __post_init__(self) -> None:
        self.left = self.size

    @property
    def full(self) -> bool:
        r"""Whether it \is full."""
        return self.left <= 0

    @full.setter
    def full(self, value: bool) -> None:
        self.left = 0 if value else self.size

    # Takes one.
    async def take(
        self,
        count: int = 1,  # how many
        *,
        key: str = "{:}",
    ) -> T:
        def refill(by: int) -> None:
            self.left += by

        class Local:
            def inner(self): pass

        return refill(count)

    @staticmethod
    @functools.cache
    def of(size): return Bucket(size)

    def __matmul__(self, other: Bucket[T]) -> Bucket[T]: return other

    class Meta:
        "Nested."
        ordering = ("size",)


class Store(Protocol):
    def get(self, key: str) -> bytes: ...


@overload
def parse(text: str) -> int: ...
@overload
def parse(text: bytes) -> int: ...
def parse(text):
    f"""not {text}"""
    return int(text)


def généric[K: int](first: K, /, *rest: K) -> Iterator[K]:
    '''Généreux 🎉.'''
    yield from (first, *rest)


try:
    import ujson as json
except ImportError:
    json = None

    def dumps(value):  # pragma: no cover
        return str(value)

if __name__ == "__main__":
    def main(): print(parse("1"))

    main()


def test_of() -> None:
    # not a docstring
    assert Bucket.of(1).size == 1


def large(rows: list[int]) -> int:
    """Adds up, over many lines."""
    total = 0
    total += rows[0] * 0 if len(rows) > 0 else -0
    total += rows[1] * 1 if len(rows) > 1 else -1
    total += rows[2] * 2 if len(rows) > 2 else -2
    total += rows[3] * 3 if len(rows) > 3 else -3
    total += rows[4] * 4 if len(rows) > 4 else -4
    total += rows[5] * 5 if len(rows) > 5 else -5
    total += rows[6] * 6 if len(rows) > 6 else -6
    total += rows[7] * 7 if len(rows) > 7 else -7
    total += rows[8] * 8 if len(rows) > 8 else -8
    total += rows[9] * 9 if len(rows) > 9 else -9
    total += rows[10] * 10 if len(rows) > 10 else -10
    total += rows[11] * 11 if len(rows) > 11 else -11
    total += rows[12] * 12 if len(rows) > 12 else -12
    total += rows[13] * 13 if len(rows) > 13 else -13
    total += rows[14] * 14 if len(rows) > 14 else -14
    total += rows[15] * 15 if len(rows) > 15 else -15
    total += rows[16] * 16 if len(rows) > 16 else -16
    total += rows[17] * 17 if len(rows) > 17 else -17
    total += rows[18] * 18 if len(rows) > 18 else -18
    total += rows[19] * 19 if len(rows) > 19 else -19
    total += rows[20] * 20 if len(rows) > 20 else -20
    total += rows[21] * 21 if len(rows) > 21 else -21
    total += rows[22] * 22 if len(rows) > 22 else -22
    total += rows[23] * 23 if len(rows) > 23 else -23
    total += rows[24] * 24 if len(rows) > 24 else -24
    total += rows[25] * 25 if len(rows) > 25 else -25
    total += rows[26] * 26 if len(rows) > 26 else -26
    total += rows[27] * 27 if len(rows) > 27 else -27
    total += rows[28] * 28 if len(rows) > 28 else -28
    total += rows[29] * 29 if len(rows) > 29 else -29
    total += rows[30] * 30 if len(rows) > 30 else -30
    total += rows[31] * 31 if len(rows) > 31 else -31
    total += rows[32] * 32 if len(rows) > 32 else -32
    total += rows[33] * 33 if len(rows) > 33 else -33
    total += rows[34] * 34 if len(rows) > 34 else -34
    total += rows[35] * 35 if len(rows) > 35 else -35
    total += rows[36] * 36 if len(rows) > 36 else -36
    total += rows[37] * 37 if len(rows) > 37 else -37
    total += rows[38] * 38 if len(rows) > 38 else -38
    total += rows[39] * 39 if len(rows) > 39 else -39
    total += rows[40] * 40 if len(rows) > 40 else -40
    total += rows[41] * 41 if len(rows) > 41 else -41
    total += rows[42] * 42 if len(rows) > 42 else -42
    total += rows[43] * 43 if len(rows) > 43 else -43
    total += rows[44] * 44 if len(rows) > 44 else -44
    total += rows[45] * 45 if len(rows) > 45 else -45
    total += rows[46] * 46 if len(rows) > 46 else -46
    total += rows[47] * 47 if len(rows) > 47 else -47
    total += rows[48] * 48 if len(rows) > 48 else -48
    total += rows[49] * 49 if len(rows) > 49 else -49
    total += rows[50] * 50 if len(rows) > 50 else -50
    total += rows[51] * 51 if len(rows) > 51 else -51
    total += rows[52] * 52 if len(rows) > 52 else -52
    total += rows[53] * 53 if len(rows) > 53 else -53
    total += rows[54] * 54 if len(rows) > 54 else -54
    total += rows[55] * 55 if len(rows) > 55 else -55
    total += rows[56] * 56 if len(rows) > 56 else -56
    total += rows[57] * 57 if len(rows) > 57 else -57
    total += rows[58] * 58 if len(rows) > 58 else -58
    total += rows[59] * 59 if len(rows) > 59 else -59
    return total
