--- The picker: a prompt, the items in the server's order, and a preview, in floating windows.
local M = {}

local jump = require("connote.jump")
local options = require("connote.options")
local present = require("connote.present")

local api = vim.api
local SPACE = api.nvim_create_namespace("connote")
local PREVIEW_BYTES = 2000000 -- reading more would be felt at each step
local PREVIEW_FROM = 90 -- columns of the editor

local active -- there is one at a time

local Picker = {}
Picker.__index = Picker

---Opens the picker; it asks `spec.source` for what is typed, and again while the index grows.
---@param spec table as for `present.show`; `query` is kept up to date with what is typed
function M.open(spec)
  if active then
    active:close()
  end
  local self = setmetatable({ spec = spec, items = {}, at = 1, origin = api.nvim_get_current_win(), cancel = function() end }, Picker)
  active = self
  self:_make_windows()
  self:_listen()
  self:_ask()
end

---What a key of the open picker does.
function M._act(act)
  if not active then
    return
  elseif act == "close" then
    active:close()
  elseif act == "quickfix" then
    active:_to_quickfix()
  else
    active:_accept(act)
  end
end

function Picker:_layout()
  local columns, rows = vim.o.columns, vim.o.lines - vim.o.cmdheight
  local width = math.max(20, math.min(columns - 4, math.floor(columns * 0.9)))
  local height = math.max(6, math.min(rows - 4, math.floor(rows * 0.8)))
  local top, left = math.floor((rows - height) / 2), math.floor((columns - width) / 2)
  local side = columns >= PREVIEW_FROM
  local list_width = side and math.floor(width * 0.45) or width
  local function float(row, column, wide, high, title)
    return { relative = "editor", style = "minimal", border = "rounded", row = row, col = column, width = wide, height = high, title = title, zindex = 60 }
  end
  return {
    prompt = float(top, left, list_width - 2, 1, (" %s "):format(self.spec.title)),
    list = float(top + 3, left, list_width - 2, height - 5),
    preview = side and float(top, left + list_width, width - list_width - 2, height - 2) or nil,
  }
end

function Picker:_make_windows()
  self.windows, self.buffers = {}, {}
  local layout = self:_layout()
  for _, part in ipairs({ "list", "preview", "prompt" }) do
    if layout[part] then
      local buffer = api.nvim_create_buf(false, true)
      vim.bo[buffer].bufhidden = "wipe"
      self.buffers[part] = buffer
      local config = vim.tbl_extend("force", layout[part], { noautocmd = true })
      self.windows[part] = api.nvim_open_win(buffer, part == "prompt", config)
      vim.wo[self.windows[part]].wrap = false
    end
  end
  vim.wo[self.windows.list].cursorline = true
  vim.bo[self.buffers.list].filetype = "connote"
  vim.b[self.buffers.prompt].completion = false -- completion menus that are asked this way stay out
  vim.bo[self.buffers.prompt].filetype = "connote_prompt"
  api.nvim_buf_set_lines(self.buffers.prompt, 0, -1, false, { self.spec.query })
  vim.cmd("startinsert!")
end

function Picker:_listen()
  local prompt = self.buffers.prompt
  -- These stay in insert mode.
  local steps = { ["<Down>"] = 1, ["<C-n>"] = 1, ["<Up>"] = -1, ["<C-p>"] = -1, ["<PageDown>"] = 10, ["<PageUp>"] = -10 }
  for key, by in pairs(steps) do
    vim.keymap.set({ "n", "i" }, key, function()
      self:_select(self.at + by)
    end, { buffer = prompt, nowait = true })
  end
  -- These leave it first: leaving it after a jump would move the cursor one column to the left.
  local acts = { ["<CR>"] = "edit", ["<C-x>"] = "split", ["<C-v>"] = "vsplit", ["<C-t>"] = "tab", ["<C-q>"] = "quickfix", ["<Esc>"] = "close", ["<C-c>"] = "close" }
  for key, act in pairs(acts) do
    local run = ("<Cmd>lua require('connote.pickers.float')._act('%s')<CR>"):format(act)
    vim.keymap.set("n", key, run, { buffer = prompt, nowait = true })
    vim.keymap.set("i", key, "<Esc>" .. run, { buffer = prompt, nowait = true })
  end

  self.group = api.nvim_create_augroup("connote_picker_" .. prompt, {})
  local function on(event, run, where)
    api.nvim_create_autocmd(event, vim.tbl_extend("error", { group = self.group, callback = run }, where or {}))
  end
  on({ "TextChangedI", "TextChanged" }, function()
    self:_typed()
  end, { buffer = prompt })
  on("BufLeave", function()
    vim.schedule(function()
      self:close()
    end)
  end, { buffer = prompt })
  on("VimResized", function()
    self:_resize()
  end)
  on("User", function()
    if self.incomplete then
      self:_later()
    end
  end, { pattern = "ConnoteStatus" })
end

function Picker:_typed()
  local text = vim.trim(api.nvim_buf_get_lines(self.buffers.prompt, 0, 1, false)[1] or "")
  if text ~= self.spec.query then
    self.spec.query = text
    if self.spec.live then
      self.cancel()
      self:_later()
    else
      self:_show(self.result)
    end
  end
end

---Asks when nothing more is typed for a moment.
function Picker:_later()
  if self.timer then
    self.timer:stop()
  end
  self.timer = vim.defer_fn(function()
    self:_ask()
  end, options.get().debounce_ms)
end

function Picker:_ask()
  if self.closed then
    return
  end
  self.cancel()
  self.cancel = self.spec.source(self.spec.query, function(result)
    -- It could be called before `source` returns: what is cancelled then is done already.
    if not self.closed then
      self:_show(result)
    end
  end)
end

---Where the server does not ask again, what is typed narrows what was found; the order stays.
function Picker:_narrowed(items)
  if self.spec.live or self.spec.query == "" then
    return items
  end
  return vim.tbl_filter(function(item)
    local text = (jump.label(item) .. " " .. item.path):lower()
    for word in self.spec.query:lower():gmatch("%S+") do
      if not text:find(word, 1, true) then
        return false
      end
    end
    return true
  end, items)
end

function Picker:_show(result)
  if not result then
    return
  end
  local chosen = self.incomplete and self.items[self.at]
  self.result, self.incomplete = result, not result.complete
  self.items = self:_narrowed(result.items)
  local width = api.nvim_win_get_width(self.windows.list)
  local lines, marks = {}, {}
  for index, item in ipairs(self.items) do
    local label = jump.label(item) .. (item.stale and " *" or "")
    local place = (" %s:%d"):format(item.path, item.selection.start.line + 1)
    local gap = math.max(1, width - vim.fn.strdisplaywidth(label .. place))
    lines[index] = (label .. (" "):rep(gap) .. place):gsub("[\r\n]", " ")
    marks[index] = #label
  end
  local buffer = self.buffers.list
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  api.nvim_buf_clear_namespace(buffer, SPACE, 0, -1)
  for index, column in ipairs(marks) do
    api.nvim_buf_set_extmark(buffer, SPACE, index - 1, column, { end_col = #lines[index], hl_group = "Comment" })
  end
  local note = present.note(result)
  if note then
    self:_write_note(note, result.failed, width)
  end
  self:_select(chosen and self:_index_of(chosen) or 1)
end

---Writes below the items; wrapped by hand, as virtual lines are not.
function Picker:_write_note(note, failed, width)
  local group = failed and "ErrorMsg" or "WarningMsg"
  local lines, line = {}, ""
  for word in note:gmatch("%S+") do
    if line ~= "" and vim.fn.strdisplaywidth(line .. " " .. word) > width then
      table.insert(lines, { { line, group } })
      line = word
    else
      line = line == "" and word or (line .. " " .. word)
    end
  end
  table.insert(lines, { { line, group } })
  local row = math.max(0, #self.items - 1)
  api.nvim_buf_set_extmark(self.buffers.list, SPACE, row, 0, { virt_lines = lines })
end

---The selection stays on its item when the growing index brings others before it.
function Picker:_index_of(chosen)
  for index, item in ipairs(self.items) do
    if item.uri == chosen.uri and item.name == chosen.name and item.selection.start.line == chosen.selection.start.line then
      return index
    end
  end
end

function Picker:_select(index)
  self.at = math.max(1, math.min(index, #self.items))
  if #self.items > 0 then
    api.nvim_win_set_cursor(self.windows.list, { self.at, 0 })
  end
  vim.wo[self.windows.list].cursorline = #self.items > 0
  self:_preview(self.items[self.at])
end

function Picker:_preview(item)
  local buffer, window = self.buffers.preview, self.windows.preview
  if not buffer then
    return
  end
  local lines, first = {}, 0
  if item then
    local size = (vim.uv.fs_stat(item.filename) or { size = 0 }).size
    if size <= PREVIEW_BYTES then
      lines = jump.lines(item, 0, item.range["end"].line + api.nvim_win_get_height(window))
    end
    if #lines <= item.range.start.line then
      lines, first = vim.split(item.preview, "\n", { plain = true }), item.range.start.line
    end
  end
  for index, line in ipairs(lines) do
    lines[index] = line:gsub("[\r\n]", "")
  end
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  api.nvim_win_set_config(window, { title = item and (" %s "):format(item.path) or "" })
  api.nvim_buf_clear_namespace(buffer, SPACE, 0, -1)
  vim.treesitter.stop(buffer)
  vim.bo[buffer].syntax = ""
  if not item then
    return
  end
  local filetype = vim.filetype.match({ filename = item.filename, contents = lines }) or ""
  local language = vim.treesitter.language.get_lang(filetype)
  if not (language and pcall(vim.treesitter.start, buffer, language)) then
    vim.bo[buffer].syntax = filetype
  end
  -- LSP ends a range before its last position: at column 0, that line is not part of it.
  local ends = item.range["end"]
  local last = (ends.character == 0 and ends.line > item.range.start.line) and ends.line - 1 or ends.line
  for row = item.range.start.line - first, math.min(last - first, #lines - 1) do
    api.nvim_buf_set_extmark(buffer, SPACE, row, 0, { line_hl_group = "CursorLine" })
  end
  local row = math.max(0, math.min(item.selection.start.line - first, #lines - 1))
  api.nvim_win_set_cursor(window, { row + 1, 0 })
  api.nvim_win_call(window, function()
    vim.fn.winrestview({ topline = math.max(1, math.min(item.range.start.line - first + 1, row + 1) - 2) })
  end)
end

function Picker:_resize()
  local layout = self:_layout()
  for part, window in pairs(self.windows) do
    local config = layout[part]
    api.nvim_win_set_config(window, config or { hide = true })
    if config then
      api.nvim_win_set_config(window, { hide = false })
    end
  end
  self:_show(self.result)
end

function Picker:_accept(how)
  local item = self.items[self.at]
  if item then
    self:close()
    jump.to(item, how)
  end
end

function Picker:_to_quickfix()
  if #self.items > 0 then
    self:close()
    jump.quickfix(self.items, vim.trim(self.spec.title .. " " .. self.spec.query))
  end
end

---Closes the windows, gives up what is under way, and goes back to where it was opened.
function Picker:close()
  if self.closed then
    return
  end
  self.closed, active = true, nil
  self.cancel()
  if self.timer then
    self.timer:stop()
  end
  api.nvim_del_augroup_by_id(self.group)
  local inside = api.nvim_get_current_win() == self.windows.prompt
  if inside then
    vim.cmd.stopinsert()
  end
  for _, window in pairs(self.windows) do
    if api.nvim_win_is_valid(window) then
      api.nvim_win_close(window, true)
    end
  end
  if inside and api.nvim_win_is_valid(self.origin) then
    api.nvim_set_current_win(self.origin)
  end
end

return M
