#!/usr/bin/env lua
--- Rate limits.
-- @module limits
local json = require("json")
local helper, other = require "helper", 2

-- How many.
local LIMIT <const> = 100
größe = "🎉"
GLOBAL = 3

--- A bucket.
-- @class Bucket
local Bucket = {}
Bucket.__index = Bucket

local M = { VERSION = "1.0", nested = { deep = function(x) return x end } }

--- Makes one.
-- @param size how many fit
function Bucket.new(size)
  local self = setmetatable({}, Bucket)
  self.size = size or LIMIT
  local function inner(x) return x end
  local lambda = function(y) return inner(y) end
  return self
end

--[[ Takes one.
     It may wait. ]]
function Bucket:take(count, ...)
  return self.size - count
end

function M.sub.deep:method() end

local function recursive(n)
  if n == 0 then return 1 end
  return n * recursive(n - 1)
end

-- Assigned.
M.assigned = function(a, b) return a + b end
local anonymous = function() end
M["quoted-key"] = function() end
Bucket.__add = function(a, b) return a end

function global_one()
  return "é"
end

return {
  Bucket = Bucket,
  run = function(x) return x end,
  ["key"] = function() end,
  limit = LIMIT,
  M = M,
}, describe("Bucket", function()
  before_each(function() end)
  it("takes one", function()
    assert.equals(1, 1)
  end)
end)
