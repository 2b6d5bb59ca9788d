--- How the items of a source are shown: in the picker, by `vim.ui.select`, or in the quickfix list.
local M = {}

local jump = require("connote.jump")
local options = require("connote.options")

local last

---Shows what a source finds.
---@param spec table `title`; `query`; `source(text, on_result, waits)`, which returns a function that cancels; `live`: whether what is typed asks again
---@param opts table? `quickfix`: into the quickfix list, whatever the option `picker` is
function M.show(spec, opts)
  local picker = opts and opts.quickfix and "quickfix" or options.get().picker
  last = { spec = spec, opts = opts }
  if type(picker) == "function" then
    picker(vim.tbl_extend("error", spec, { jump = jump.to, quickfix = jump.quickfix, label = jump.label, lines = jump.lines }))
  elseif picker == "float" then
    require("connote.picker").open(spec)
  elseif spec.live and spec.query == "" then
    vim.ui.input({ prompt = spec.title .. ": " }, function(text)
      if text and vim.trim(text) ~= "" then
        spec.query = vim.trim(text)
        M._once(spec, picker)
      end
    end)
  else
    M._once(spec, picker)
  end
end

---Shows the last search again.
function M.resume()
  if last then
    M.show(last.spec, last.opts)
  else
    vim.notify("connote: there was no search yet", vim.log.levels.INFO)
  end
end

---What to tell of a result beside its items, or nil.
---@param result table
---@return string?
function M.note(result)
  local notes = {}
  if result.message then
    table.insert(notes, result.message)
  elseif #result.items == 0 and result.complete then
    table.insert(notes, "Nothing found.")
  elseif result.relaxed then
    table.insert(notes, "Nothing matches well.")
  end
  if not result.complete then
    table.insert(notes, "The index is still being built.")
  end
  return #notes > 0 and table.concat(notes, " ") or nil
end

---@param waits boolean? whether to ask for an answer only when the index is complete
function M._once(spec, picker, waits)
  spec.source(spec.query, function(result)
    if #result.items == 0 and not result.complete and not waits then
      vim.notify("connote: " .. M.note(result) .. " What is found then will be shown.", vim.log.levels.INFO)
      M._once(spec, picker, true)
      return
    end
    local note = M.note(result)
    if note then
      vim.notify("connote: " .. note, result.failed and vim.log.levels.ERROR or vim.log.levels.INFO)
    end
    if #result.items == 0 then
      return
    end
    if picker == "quickfix" then
      jump.quickfix(result.items, vim.trim(spec.title .. " " .. spec.query))
      return
    end
    local function format(item)
      return ("%s  %s:%d"):format(jump.label(item), item.path, item.selection.start.line + 1)
    end
    vim.ui.select(result.items, { prompt = spec.title, kind = "connote", format_item = format }, function(item)
      if item then
        jump.to(item)
      end
    end)
  end, waits)
end

return M
