--- What is known of the indexes: the last notice of each, the status report, reindexing.
local M = {}

local server = require("connote.server")

---By client, then by the folder's URI.
local known = {}

---Notes what the server tells of a folder; fires the event `User ConnoteStatus`.
function M.changed(client_id, params)
  known[client_id] = known[client_id] or {}
  known[client_id][params.folder] = params
  vim.api.nvim_exec_autocmds("User", { pattern = "ConnoteStatus", data = params, modeline = false })
end

---Forgets what a client told that is gone.
function M.forget(client_id)
  known[client_id] = nil
end

---A short text for a status line.
function M.short()
  local words = {}
  for _, client in ipairs(server.running()) do
    for _, folder in pairs(known[client.id] or {}) do
      if folder.state == "indexing" then
        table.insert(words, folder.pending > 0 and ("connote: %d to index"):format(folder.pending) or "connote: indexing")
      elseif folder.state ~= "ready" then
        table.insert(words, "connote: " .. folder.state)
      end
    end
  end
  return table.concat(words, ", ")
end

---Asks every client for the status of its folders.
---@param on_folders fun(folders: table[])
function M.ask(on_folders)
  local clients = server.running()
  local waiting, folders = #clients, {}
  if waiting == 0 then
    on_folders({})
  end
  for _, client in ipairs(clients) do
    client:request("connote/status", vim.empty_dict(), function(_, result)
      vim.list_extend(folders, result and result.folders or {})
      waiting = waiting - 1
      if waiting == 0 then
        on_folders(folders)
      end
    end)
  end
end

---One folder's status as lines.
function M.lines(folder)
  local skipped = 0
  for _, count in pairs(folder.skipped or {}) do
    skipped = skipped + count
  end
  local lines = {
    ("%s: %s"):format(folder.root or vim.uri_to_fname(folder.folder), folder.state),
    ("  %d files in %d chunks; %d pending, %d failed, %d left out"):format(
      folder.files or 0,
      folder.chunks or 0,
      folder.pending or 0,
      folder.failed or 0,
      skipped
    ),
  }
  if type(folder.model) == "string" and folder.model ~= "" then
    table.insert(lines, "  model " .. folder.model)
  end
  if type(folder.message) == "string" and folder.message ~= "" then
    table.insert(lines, "  " .. folder.message)
  end
  return lines
end

---Shows the status of every index in use.
function M.show()
  M._with_client(function()
    M.ask(function(folders)
      local lines = {}
      for _, folder in ipairs(folders) do
        vim.list_extend(lines, M.lines(folder))
      end
      vim.notify(#lines > 0 and table.concat(lines, "\n") or "connote: no folder is open", vim.log.levels.INFO)
    end)
  end)
end

---Brings the current client's indexes up to date, or builds them afresh.
---@param rebuild boolean
function M.reindex(rebuild)
  M._with_client(function(client)
    local params = { command = "connote.reindex", arguments = { { rebuild = rebuild } } }
    vim.notify(rebuild and "connote: rebuilding the index" or "connote: bringing the index up to date", vim.log.levels.INFO)
    client:request("workspace/executeCommand", params, function(err, reports)
      if err then
        vim.notify("connote: " .. err.message, vim.log.levels.ERROR)
        return
      end
      for _, report in ipairs(reports or {}) do
        local done = ("%d files indexed"):format((report.added or 0) + (report.changed or 0) + (report.unchanged or 0))
        local text = type(report.message) == "string" and report.message or done
        vim.notify(("connote: %s: %s"):format(vim.uri_to_fname(report.folder), text), vim.log.levels.INFO)
      end
    end)
  end)
end

---Runs something with the current buffer's client, or says why there is none.
function M._with_client(run)
  server.with_client(function(client, why)
    if client then
      run(client)
    else
      vim.notify("connote: " .. why, vim.log.levels.ERROR)
    end
  end)
end

return M
