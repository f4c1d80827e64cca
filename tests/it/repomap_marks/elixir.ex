defmodule A do
  def pure(x), do: x
  def load(p), do: File.read!(p)
  def start(p), do: System.cmd(p, [])
  def dial(u), do: Req.get(u)
  def later(f), do: Task.async(f)
end
