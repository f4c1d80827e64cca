TABLE = {}
LIMIT = 1
def pure(x)
  y = x
  y
end
class A
  def next_one
    @@count = 1
  end
  def keep(k)
    TABLE[k] = 1
  end
end
def load(p)
  File.read(p)
end
def start
  system('x')
end
def dial
  Net::HTTP.get(u)
end
def later
  Thread.new { pure(1) }
end
if __FILE__ == $0
  pure(1)
end
