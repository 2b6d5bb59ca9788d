class A:
    "d"

    @property
    def x(self):
        return 1

    @x.setter
    def x(self, v):
        pass


@overload
def f(a: int): ...
@overload
def f(a: str): ...
def f(a): ...


type T = int


def g[T]():
    r"""raw
    doc"""


h = lambda: 1
if TYPE_CHECKING:
    Z = 1
