-- The stock of a shop.
local Stock = {}
Stock.__index = Stock

function Stock.new(limit)
  return setmetatable({ items = {}, limit = limit }, Stock)
end

function Stock:add(item, count)
  if count > self.limit then
    return nil, "too many"
  end
  self.items[item] = (self.items[item] or 0) + count
  return self.items[item]
end

function Stock:remove(item)
  local count = self.items[item]
  self.items[item] = nil
  return count
end

local function total(stock)
  local sum = 0
  for _, count in pairs(stock.items) do
    sum = sum + count
  end
  return sum
end

function report(stock)
  print(total(stock))
end

return Stock
