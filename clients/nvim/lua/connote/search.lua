--- The searches: requests to the server, cancelled when they are not wanted any more, and their hits as items.
local M = {}

local options = require("connote.options")
local query = require("connote.query")
local server = require("connote.server")

---A source of items by meaning: `source(text, on_result, waits)` asks and returns a function that cancels.
---With `waits` the answer comes when the first index is complete.
---@param opts table `definitions`, `limit`
function M.by_meaning(opts)
  return function(text, on_result, waits)
    local params = query.parse(text)
    params.limit = opts.limit or options.get().limit
    params.wait = waits or false
    params.definitionsOnly = opts.definitions or false
    if params.query == "" then
      on_result({ items = {}, complete = true, message = "Type what the code does." })
      return function() end
    end
    return M._ask("workspace/semanticSearch", function()
      return params
    end, on_result)
  end
end

---A source of items alike to a place in a buffer.
---@param buffer integer
---@param lines integer[]? first and last line, from 1; else the cursor's
function M.similar(buffer, lines)
  local row = vim.api.nvim_win_get_cursor(0)[1]
  lines = lines or { row, row }
  return function(_, on_result)
    return M._ask("textDocument/similarCode", function()
      return {
        textDocument = vim.lsp.util.make_text_document_params(buffer),
        limit = options.get().limit,
        range = {
          start = { line = lines[1] - 1, character = 0 },
          ["end"] = { line = lines[2] - 1, character = 0 },
        },
      }
    end, on_result)
  end
end

---One request. Neovim calls no handler for a cancelled one, so nothing waits for its answer.
function M._ask(method, make_params, on_result)
  local cancelled, client, id = false, nil, nil
  server.with_client(function(found, why)
    if cancelled then
      return
    end
    if not found then
      on_result({ items = {}, complete = true, message = why, failed = true })
      return
    end
    client = found
    local sent
    sent, id = client:request(method, make_params(), function(err, result)
      id = nil
      if cancelled then
        return
      end
      if err then
        on_result({ items = {}, complete = true, message = err.message, failed = true })
      else
        on_result(M._result(result, client))
      end
    end)
    if not sent then
      on_result({ items = {}, complete = true, message = "the server has ended; try again", failed = true })
    end
  end)
  return function()
    cancelled = true
    if client and id and not client:is_stopped() then
      client:cancel_request(id)
    end
  end
end

function M._result(result, client)
  local items = {}
  for _, hit in ipairs(result.hits) do
    table.insert(items, {
      uri = hit.location.uri,
      filename = vim.uri_to_fname(hit.location.uri),
      path = hit.path,
      name = hit.name,
      kind = vim.lsp.protocol.SymbolKind[hit.kind] or "",
      container = hit.containerName or "",
      score = hit.score,
      stale = hit.stale,
      preview = hit.preview,
      range = hit.location.range,
      selection = hit.selectionRange,
      -- Columns mean nothing without it, and another client may count otherwise.
      encoding = client.offset_encoding,
    })
  end
  local message = result.message
  if message == vim.NIL then
    message = nil
  end
  return { items = items, complete = result.complete, relaxed = result.relaxed, message = message }
end

return M
