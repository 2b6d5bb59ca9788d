--- Shows a search in snacks.picker.
local HOW = { split = "split", vsplit = "vsplit", tab = "tab", tabnew = "tab" }

---@param spec table as for a picker of the user's
return function(spec)
  require("snacks").picker.pick({
    source = "connote",
    title = spec.title,
    live = spec.live,
    supports_live = spec.live,
    search = spec.live and spec.query or nil,
    matcher = { sort_empty = false },
    sort = spec.live and { fields = { "idx" } } or nil, -- the server's order
    format = function(item)
      return { { item.label }, { "  " }, { item.place, "SnacksPickerDir" } }
    end,
    confirm = function(picker, item, action)
      if item then
        picker:close()
        spec.jump(item.item, HOW[action and action.cmd] or "edit")
      end
    end,
    finder = function(_, context)
      local typed = spec.live and context.filter.search or ""
      return function(take)
        local waiting = require("snacks.picker.util.async").running()
        local rows
        local stop = function() end
        -- This runs where the editor's functions may not be called.
        vim.schedule(function()
          stop = spec.rows(typed, function(found)
            rows = found
            waiting:resume()
          end)
        end)
        waiting:on("abort", vim.schedule_wrap(function()
          stop()
        end))
        while not rows do
          waiting:suspend()
        end
        for _, row in ipairs(rows) do
          take({
            text = row.text,
            label = row.label,
            place = row.place,
            file = row.item.filename,
            pos = { row.line, row.column - 1 },
            item = row.item,
          })
        end
      end
    end,
  })
end
