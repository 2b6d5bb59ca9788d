--- Shows a search in telescope.nvim.
local finders = require("telescope.finders")
local pickers = require("telescope.pickers")
local sorters = require("telescope.sorters")
local state = require("telescope.actions.state")
local actions = require("telescope.actions")
local values = require("telescope.config").values

local function entry(row)
  return {
    value = row.item,
    ordinal = row.text,
    filename = row.item.filename,
    lnum = row.line,
    col = row.column,
    text = row.label,
    display = function()
      return row.text, { { { #row.label, #row.text }, "TelescopeResultsComment" } }
    end,
  }
end

local HOW = { select_default = "edit", select_horizontal = "split", select_vertical = "vsplit", select_tab = "tab" }

local function open(spec, finder, sorter, cancel)
  local options = { prompt_title = spec.title, finder = finder, sorter = sorter, previewer = values.grep_previewer({}) }
  options.debounce = require("connote.options").get().debounce_ms
  options.attach_mappings = function(prompt)
    for action, how in pairs(HOW) do
      actions[action]:replace(function()
        local chosen = state.get_selected_entry()
        if chosen then
          actions.close(prompt)
          spec.jump(chosen.value, how)
        end
      end)
    end
    vim.api.nvim_create_autocmd("BufWipeout", { buffer = prompt, once = true, callback = cancel or function() end })
    return true
  end
  pickers.new({ default_text = spec.query ~= "" and spec.query or nil }, options):find()
end

---@param spec table as for a picker of the user's
return function(spec)
  if not spec.live then
    spec.rows("", function(rows)
      if #rows > 0 then
        open(spec, finders.new_table({ results = rows, entry_maker = entry }), values.generic_sorter({}))
      end
    end)
    return
  end
  local cancel = function() end
  local finder = finders.new_dynamic({
    entry_maker = entry,
    fn = function(prompt)
      cancel()
      -- What waits here runs again when `send` is called, which for a cancelled search we do ourselves.
      local send, receive = require("plenary.async.control").channel.oneshot()
      local answered = false
      local function answer(rows)
        if not answered then
          answered = true
          send(rows)
        end
      end
      local stop = spec.rows(prompt, answer)
      cancel = function()
        stop()
        answer({})
      end
      return receive()
    end,
  })
  -- This sorter keeps the order, and takes nothing away.
  open(spec, finder, sorters.highlighter_only({}), function()
    cancel()
  end)
end
