# Licence.
defmodule Example.Limits do
  @moduledoc """
  Rate limits.

  More.
  """

  use GenServer
  import Enum, only: [map: 2]
  alias Example.{Store, Bucket}
  require Logger

  @limit 100
  @typedoc "A key."
  @type key :: String.t()
  @opaque id :: integer
  @behaviour Store

  defstruct [:size, name: "größe"]

  @doc "Takes one."
  @spec take(t, integer) :: {:ok, term} | :error
  def take(bucket, count \\ 1)

  def take(%__MODULE__{size: size} = bucket, count) when size > count do
    helper = fn x -> x + 1 end
    {:ok, helper.(bucket)}
  end

  def take(_, _), do: :error

  # A comment.
  @doc """
  Says whether it is full.
  """
  @impl true
  def full?(%{size: 0}), do: true
  def full?(_), do: false

  @doc false
  defp hidden!(x) do
    x
  end

  defmacro trace(expression) do
    quote do: IO.inspect(unquote(expression))
  end

  defguard is_even(x) when rem(x, 2) == 0
  defguardp is_odd(x) when rem(x, 2) == 1
  defdelegate size(bucket), to: Store
  defexception [:message]
  defoverridable take: 2
  def a + b, do: {a, b}
  def unquote(name)(), do: 1

  defmodule Nested do
    def deep, do: "🎉"
  end

  @callback get(key) :: term
end

defprotocol Example.Size do
  @doc "How large."
  def size(data)
end

defimpl Example.Size, for: BitString do
  def size(string), do: byte_size(string)
end

defmodule Example.LimitsTest do
  use ExUnit.Case

  setup do
    {:ok, bucket: 1}
  end

  describe "take/2" do
    @tag :slow
    test "takes one", %{bucket: bucket} do
      assert bucket == 1
    end
  end

  test "stops" do
    assert true
  end
end
