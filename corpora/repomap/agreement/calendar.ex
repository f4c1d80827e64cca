defmodule Calendar.Room do
  defstruct name: nil, bookings: []

  def new(name) do
    %__MODULE__{name: name}
  end

  def book(room, from, to) do
    if free?(room, from, to) do
      {:ok, %{room | bookings: [{from, to} | room.bookings]}}
    else
      :error
    end
  end

  defp free?(room, from, to) do
    Enum.all?(room.bookings, fn {start, stop} -> to <= start or from >= stop end)
  end

  defmacro within(room, do: block) do
    quote do
      unquote(room) && unquote(block)
    end
  end
end
