--- Shows a search in mini.pick.
local pick = require("mini.pick")

local function items_of(rows)
  return vim.tbl_map(function(row)
    return { text = row.text, path = row.item.filename, lnum = row.line, col = row.column, item = row.item }
  end, rows)
end

---@param spec table as for a picker of the user's
return function(spec)
  local cancel, timer = function() end, assert(vim.uv.new_timer())
  local source = { name = spec.title, items = {} }

  function source.choose(chosen)
    -- The picker's own window is gone when this runs.
    vim.schedule(function()
      spec.jump(chosen.item, "edit")
    end)
  end

  function source.choose_marked(chosen)
    vim.schedule(function()
      spec.quickfix(vim.tbl_map(function(one)
        return one.item
      end, chosen), spec.title)
    end)
  end

  local asked = {}
  if spec.live then
    function source.match(_, _, query)
      local tick = pick.get_querytick()
      if asked.tick == tick then
        return
      end
      asked.tick = tick
      cancel()
      timer:start(require("connote.options").get().debounce_ms, 0, vim.schedule_wrap(function()
        cancel = spec.rows(table.concat(query), function(rows)
          -- Without matching: what is found need not have a letter of the query in it.
          pick.set_picker_items(items_of(rows), { do_match = false, querytick = tick })
        end)
      end))
    end
  else
    cancel = spec.rows("", function(rows)
      pick.set_picker_items(items_of(rows))
    end)
    source.items = nil
  end
  if spec.live and spec.query ~= "" then
    vim.schedule(function()
      pick.set_picker_query(vim.fn.split(spec.query, "\\zs"))
    end)
  end
  pick.start({ source = source }) -- returns when the picker is closed
  timer:close()
  cancel()
end
