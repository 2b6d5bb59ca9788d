--- Runs the claims that are asked for, or all, and writes down what came of each: `tests/protocol/test_neovim.py`.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
package.path = here .. "/?.lua;" .. vim.fs.dirname(here) .. "/lua/?.lua;" .. vim.fs.dirname(here) .. "/lua/?/init.lua;" .. package.path

local home = vim.env.CONNOTE_TEST_HOME
local asked = vim.json.decode(table.concat(vim.fn.readfile(vim.fs.joinpath(home, "asked.json")), "\n"))
local outcomes = vim.empty_dict()

---A claim, and what shows it. Returned words tell why it cannot be shown here.
function _G.test(claim, run)
  if not vim.list_contains(asked, claim) then
    return
  end
  local since = vim.uv.hrtime()
  local ok, why = xpcall(function()
    if _G.before_each then
      _G.before_each()
    end
    return run()
  end, function(err)
    return type(err) == "string" and debug.traceback(err, 2) or vim.inspect(err)
  end)
  outcomes[claim] = ok and (why and "skipped: " .. why or "ok") or why
  io.stdout:write(("%5.1f s  %s\n"):format((vim.uv.hrtime() - since) / 1e9, claim))
end

function _G.equal(expected, actual)
  if not vim.deep_equal(expected, actual) then
    error(("expected %s\nactual %s"):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

for _, file in ipairs({ "units", "searching", "serving", "pickers" }) do
  _G.before_each = nil
  dofile(vim.fs.joinpath(here, file .. ".lua"))
  require("editor").close_all()
end

vim.fn.writefile({ vim.json.encode(outcomes) }, vim.fs.joinpath(home, "outcomes.json"))
