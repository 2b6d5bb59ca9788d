--- Shows a search in fzf-lua.
local fzf = require("fzf-lua")

---@param spec table as for a picker of the user's
return function(spec)
  local shown = {} -- items by their lines

  -- fzf-lua's preview reads a file and a line from what a line of the list begins with.
  local function line(row)
    local text = ("%s:%d:%d: %s"):format(vim.fn.fnamemodify(row.item.filename, ":~:."), row.line, row.column, row.label)
    shown[text] = row.item
    return text
  end

  local function act(how)
    return function(selected)
      local item = selected and shown[selected[1]]
      if item then
        spec.jump(item, how)
      end
    end
  end

  local function quickfix(selected)
    local items = {}
    for _, text in ipairs(selected or {}) do
      table.insert(items, shown[text])
    end
    spec.quickfix(items, spec.title)
  end

  local options = {
    prompt = spec.title .. "> ",
    query = spec.query,
    previewer = "builtin",
    exec_empty_query = false,
    fzf_opts = { ["--multi"] = true },
    actions = {
      ["enter"] = act("edit"),
      ["ctrl-s"] = act("split"),
      ["ctrl-v"] = act("vsplit"),
      ["ctrl-t"] = act("tab"),
      ["alt-q"] = quickfix,
    },
  }
  local function rows_into(text, put)
    return spec.rows(text, function(rows)
      for _, row in ipairs(rows) do
        put(line(row))
      end
      put(nil)
    end)
  end

  if not spec.live then
    fzf.fzf_exec(function(put)
      rows_into("", put)
    end, options)
    return
  end
  local cancel = function() end
  -- fzf does not filter here: each key asks again.
  fzf.fzf_live(function(typed)
    return function(put)
      cancel()
      cancel = rows_into(typed[1] or "", put)
    end
  end, options)
end
