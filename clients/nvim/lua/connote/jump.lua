--- From an item to its place in the editor.
local M = {}

local OPEN = { split = "split", vsplit = "vsplit", tab = "tab split" }

---Goes to the item's name; the place before is on the jump list and on the tag stack.
---@param item table
---@param how string? `edit` (default), `split`, `vsplit` or `tab`
---@return boolean
function M.to(item, how)
  if not vim.uv.fs_stat(item.filename) and vim.fn.bufloaded(item.filename) == 0 then
    vim.notify("connote: " .. item.path .. " is gone since it was found; search again", vim.log.levels.WARN)
    return false
  end
  if OPEN[how] then
    vim.cmd(OPEN[how])
  end
  local place = { uri = item.uri, range = item.selection }
  local ok, shown = pcall(vim.lsp.util.show_document, place, item.encoding, { focus = true })
  if not ok then
    vim.notify("connote: " .. tostring(shown), vim.log.levels.ERROR)
    return false
  end
  return shown
end

---Puts items, in their order, into the quickfix list and opens it.
---@param items table[]
---@param title string
function M.quickfix(items, title)
  local entries = {}
  for _, item in ipairs(items) do
    local text = M.label(item)
    table.insert(entries, {
      filename = item.filename,
      lnum = item.selection.start.line + 1,
      col = M.column(item) + 1,
      text = text,
      user_data = { score = item.score },
    })
  end
  vim.fn.setqflist({}, " ", { title = title, items = entries })
  vim.cmd("botright copen")
end

---What a list shows of an item beside its place.
function M.label(item)
  local name = item.container ~= "" and (item.container .. " > " .. item.name) or item.name
  return item.kind ~= "File" and ("%s (%s)"):format(name, item.kind:lower()) or name
end

---The item's column in bytes, from 0.
function M.column(item)
  local start = item.selection.start
  if start.character == 0 then
    return 0
  end
  local line = M.lines(item, start.line, start.line)[1] or ""
  -- 0.11 raises for an index past the end, as when the file has changed meanwhile.
  local ok, column = pcall(vim.str_byteindex, line, item.encoding, start.character, false)
  return ok and column or 0
end

---Lines of the item's file, as in its buffer where there is one; `first` and `last` count from 0.
function M.lines(item, first, last)
  local buffer = vim.fn.bufnr(vim.fn.fnameescape(item.filename))
  if buffer ~= -1 and vim.api.nvim_buf_is_loaded(buffer) then
    return vim.api.nvim_buf_get_lines(buffer, first, last + 1, false)
  end
  if vim.fn.filereadable(item.filename) == 0 then
    return {}
  end
  local lines = vim.fn.readfile(item.filename, "", last + 1)
  return vim.list_slice(lines, first + 1)
end

return M
