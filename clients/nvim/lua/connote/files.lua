--- Tells the servers of files that changed where Neovim's core does not: by file managers, by other programs, by `:w other`.
local M = {}

local server = require("connote.server")

local CHANGED = 2 -- LSP's FileChangeType

---Tells of files and folders.
---@param changes table `created`, `deleted` and `changed`: lists of paths; `renamed`: a list of `{ from, to }`
function M.tell(changes)
  for _, client in ipairs(server.running()) do
    local function inside(path)
      return client.root_dir and vim.startswith(vim.fs.normalize(path), client.root_dir .. "/")
    end
    local function send(method, name, list)
      if #list > 0 then
        client:notify(method, { [name] = list })
      end
    end
    local function uris(paths)
      return vim.tbl_map(function(path)
        return { uri = vim.uri_from_fname(vim.fs.normalize(path)) }
      end, vim.tbl_filter(inside, paths or {}))
    end
    local renamed = {}
    for _, pair in ipairs(changes.renamed or {}) do
      if inside(pair[1]) or inside(pair[2]) then
        local from, to = vim.fs.normalize(pair[1]), vim.fs.normalize(pair[2])
        table.insert(renamed, { oldUri = vim.uri_from_fname(from), newUri = vim.uri_from_fname(to) })
      end
    end
    send("workspace/didRenameFiles", "files", renamed)
    send("workspace/didCreateFiles", "files", uris(changes.created))
    send("workspace/didDeleteFiles", "files", uris(changes.deleted))
    send("workspace/didChangeWatchedFiles", "changes", vim.tbl_map(function(file)
      return { uri = file.uri, type = CHANGED }
    end, uris(changes.changed)))
  end
end

---What an event of the editor, or of a file manager, says of files.
---@param event table as an autocommand gets it
function M.happened(event)
  if event.event == "User" then
    local read = M._user_events[event.match]
    if read and event.data then
      M.tell(read(event.data))
    end
    return
  end
  local path = vim.fs.normalize(vim.fn.fnamemodify(event.match, ":p"))
  -- Of a buffer that it has, a server is told by the core, unless something else wrote the file.
  local told = event.event == "BufWritePost"
    and path == vim.fs.normalize(vim.api.nvim_buf_get_name(event.buf))
    and #vim.lsp.get_clients({ name = "connote", bufnr = event.buf }) > 0
  if not told and vim.bo[event.buf].buftype == "" then
    M.tell({ changed = { path } })
  end
end

local function moved(data)
  return { renamed = { { data.from, data.to } } }
end

local function created(data)
  return { created = { data.to } }
end

---What file managers tell when they have done something.
M._user_events = {
  MiniFilesActionRename = moved,
  MiniFilesActionMove = moved,
  MiniFilesActionCreate = created,
  MiniFilesActionCopy = created,
  MiniFilesActionDelete = function(data)
    return { deleted = { data.from } }
  end,
  OilActionsPost = function(data)
    local changes = { created = {}, deleted = {}, renamed = {} }
    local function path(url)
      return (url:gsub("^oil://", ""))
    end
    for _, action in ipairs(data.err and {} or data.actions or {}) do
      if action.type == "move" then
        table.insert(changes.renamed, { path(action.src_url), path(action.dest_url) })
      elseif action.type == "delete" then
        table.insert(changes.deleted, path(action.url))
      elseif action.type == "create" then
        table.insert(changes.created, path(action.url))
      elseif action.type == "copy" then
        table.insert(changes.created, path(action.dest_url))
      end
    end
    return changes
  end,
}

return M
