defmodule Shop.Queue do
  @moduledoc """
  Orders that wait.
  """

  use GenServer
  alias Shop.Order

  @limit 100

  defstruct orders: [], size: 0

  @type t :: %__MODULE__{orders: list(), size: integer()}

  @doc """
  Starts the queue.

  It is linked to the caller.
  """
  def start_link(options \\ []) do
    GenServer.start_link(__MODULE__, options)
  end

  @doc "Adds an order."
  @spec push(pid(), Order.t()) :: :ok
  def push(queue, order) when is_pid(queue) do
    GenServer.call(queue, {:push, order})
  end

  @impl true
  def init(options), do: {:ok, build(options)}

  defp build(options) do
    path = Keyword.get(options, :path)
    orders = File.read!(path) |> parse()
    %__MODULE__{orders: orders}
  end

  # Not documentation.
  defp parse(text), do: String.split(text, "\n")

  defmacro measured(name, do: block) do
    quote do
      Task.async(fn -> unquote(block) end)
    end
  end

  defguard is_full(size) when size >= @limit
end

defprotocol Shop.Price do
  @doc "Returns the price in cents."
  def cents(value)
end

defimpl Shop.Price, for: Shop.Order do
  def cents(order), do: order.total
end
