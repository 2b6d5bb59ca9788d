--- Runs the tests, or those whose name has the argument in it; the last line counts them.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
package.path = here .. "/?.lua;" .. vim.fs.dirname(here) .. "/lua/?.lua;" .. vim.fs.dirname(here) .. "/lua/?/init.lua;" .. package.path

local wanted = _G.arg[1] or ""
local passed, failed = 0, 0

---A test: what it claims, and what shows it.
function _G.test(claim, run)
  if not claim:find(wanted, 1, true) then
    return
  end
  local since = vim.uv.hrtime()
  local ok, why = xpcall(function()
    if _G.before_each then
      _G.before_each()
    end
    run()
  end, function(err)
    return type(err) == "string" and debug.traceback(err, 2) or vim.inspect(err)
  end)
  passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
  local seconds = (vim.uv.hrtime() - since) / 1e9
  io.stdout:write(("%s %s (%.1f s)\n%s"):format(ok and "ok  " or "FAIL", claim, seconds, ok and "" or why .. "\n"))
end

function _G.equal(expected, actual)
  if not vim.deep_equal(expected, actual) then
    error(("expected %s\nactual %s"):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

for _, file in ipairs({ "units", "searching", "serving" }) do
  _G.before_each = nil
  dofile(vim.fs.joinpath(here, file .. ".lua"))
  require("editor").close_shared()
end

io.stdout:write(("%d passed, %d failed\n"):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
