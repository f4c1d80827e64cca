-- A stack of bounded size.
local json = require("json")

local LIMIT = 100

--- Stack of values.
local Stack = {}
Stack.__index = Stack

--- Creates an empty stack.
-- @param limit maximum number of values
function Stack.new(limit)
  local self = setmetatable({}, Stack)
  self.limit = limit or LIMIT
  return self
end

--- Puts a value on top.
function Stack:push(value)
  if #self >= self.limit then
    error("full")
  end
  table.insert(self, value)
end

Stack.pop = function(self)
  return table.remove(self)
end

local function describe(stack)
  return json.encode(stack)
end

function save(stack, path)
  local file = io.open(path, "w")
  file:write(describe(stack))
  file:close()
  os.execute("sync")
end

return Stack
