local function f() end
function M.g() end
M.h = function() end
local t = { k = function() end }
