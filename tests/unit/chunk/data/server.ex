defmodule A.B do
  @doc "does"
  @spec f(integer) :: integer
  def f(x) when x > 0, do: x
  defp g(), do: 1
  defmacro m(a), do: a
end
