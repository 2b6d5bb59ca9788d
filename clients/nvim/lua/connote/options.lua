--- The plugin's options: defaults, and what the user set.
local M = {}

local DEFAULTS = {
  cmd = { "connote", "lsp" },
  root_markers = { "connote.toml", ".git" },
  settings = {},
  limit = 20,
  debounce_ms = 120,
  picker = "auto",
}

local PICKERS = { "auto", "float", "select", "quickfix", "telescope", "fzf-lua", "snacks", "mini-pick" }

local CHECKS = {
  cmd = { "a list of strings, or a function", function(value)
    return type(value) == "function" or (vim.islist(value) and type(value[1]) == "string")
  end },
  root_markers = { "a list", vim.islist },
  settings = { "a table", function(value)
    return type(value) == "table"
  end },
  limit = { "a whole number from 1 to 200", function(value)
    return type(value) == "number" and value >= 1 and value <= 200 and value % 1 == 0
  end },
  debounce_ms = { "a number of milliseconds", function(value)
    return type(value) == "number" and value >= 0
  end },
  picker = { ('"%s" or a function'):format(table.concat(PICKERS, '", "')), function(value)
    return type(value) == "function" or vim.list_contains(PICKERS, value)
  end },
}

local current = vim.deepcopy(DEFAULTS)

---@return table options those in force
function M.get()
  return current
end

---Takes the user's options; those that are wrong keep their default.
---@param user table
---@return string[] complaints one for each option that is unknown or wrong
function M.set(user)
  local complaints = {}
  current = vim.deepcopy(DEFAULTS)
  for _, name in ipairs(vim.fn.sort(vim.tbl_keys(user))) do
    local check = CHECKS[name]
    if not check then
      table.insert(complaints, ("there is no option %s; see :help connote-options"):format(name))
    elseif not check[2](user[name]) then
      table.insert(complaints, ("%s must be %s"):format(name, check[1]))
    else
      current[name] = user[name]
    end
  end
  return complaints
end

return M
