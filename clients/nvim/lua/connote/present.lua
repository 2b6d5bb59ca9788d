--- How the items of a source are shown: in a picker, by `vim.ui.select`, or in the quickfix list.
local M = {}

local jump = require("connote.jump")
local options = require("connote.options")

---Plugins with a picker, in the order in which they are looked for; how each is known to be in use.
local PLUGINS = {
  { "telescope", function()
    return pcall(require, "telescope.pickers")
  end },
  { "fzf-lua", function()
    return pcall(require, "fzf-lua") and (vim.fn.executable("fzf") == 1 or vim.fn.executable("sk") == 1)
  end },
  { "snacks", function()
    local found, snacks = pcall(require, "snacks")
    return found and vim.tbl_get(snacks.config or {}, "picker", "enabled") == true
  end },
  { "mini-pick", function()
    return _G.MiniPick ~= nil
  end },
}

local last

---Shows what a source finds.
---@param spec table `title`; `query`; `source(text, on_result, waits)`, which returns a function that cancels; `live`: whether what is typed asks again
---@param opts table? `quickfix`: into the quickfix list, whatever the option `picker` is
function M.show(spec, opts)
  local picker = opts and opts.quickfix and "quickfix" or options.get().picker
  last = { spec = spec, opts = opts }
  if picker == "auto" then
    picker = M.present()
  end
  if type(picker) == "function" then
    picker(M._for_plugin(spec))
  elseif picker == "float" then
    require("connote.pickers.float").open(spec)
  elseif picker ~= "select" and picker ~= "quickfix" then
    M._in_plugin(picker, spec)
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

---Which picker `auto` means here: that of the first plugin in use, else our own.
---@return string
function M.present()
  for _, plugin in ipairs(PLUGINS) do
    if plugin[2]() then
      return plugin[1]
    end
  end
  return "float"
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

---A plugin that has changed, or is not there, must not take the search away.
function M._in_plugin(name, spec)
  local ok, why = pcall(function()
    require("connote.pickers." .. name)(M._for_plugin(spec))
  end)
  if not ok then
    vim.notify(("connote: %s cannot be used: %s"):format(name, why), vim.log.levels.WARN)
    require("connote.pickers.float").open(spec)
  end
end

---What a picker that is not ours is given.
function M._for_plugin(spec)
  local told
  local given = vim.tbl_extend("error", spec, { jump = M._jump, quickfix = jump.quickfix, label = jump.label, lines = jump.lines })

  ---Asks, and gives what a line of a list is made of; what else there is to say is a notice, once.
  function given.rows(text, on_rows)
    spec.query = spec.live and text or spec.query -- for resume()
    if spec.live and vim.trim(text) == "" then
      on_rows({})
      return function() end
    end
    return spec.source(text, function(result)
      local note = M.note(result)
      if note and note ~= told and (result.failed or result.complete == false or #result.items == 0) then
        vim.notify("connote: " .. note, result.failed and vim.log.levels.ERROR or vim.log.levels.INFO)
      end
      told = note
      on_rows(vim.tbl_map(M._row, result.items))
    end)
  end
  return given
end

---Leaving insert mode after the jump would move the cursor one column to the left.
function M._jump(item, how)
  if vim.fn.mode():sub(1, 1) ~= "i" then
    jump.to(item, how)
    return
  end
  local go = vim.schedule_wrap(function()
    jump.to(item, how)
  end)
  vim.api.nvim_create_autocmd("InsertLeave", { once = true, callback = go })
  vim.cmd.stopinsert()
end

function M._row(item)
  local line = item.selection.start.line + 1
  local label, place = jump.label(item), ("%s:%d"):format(item.path, line)
  return { item = item, label = label, place = place, text = label .. "  " .. place, line = line, column = jump.column(item) + 1 }
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
