--- The language server: its configuration, which one serves a buffer, its start on demand and after a crash.
local M = {}

local options = require("connote.options")

local NAME = "connote"
local START_MS = 15000 -- a cold start loads the model from disk
local POLL_MS = 20
local RESTARTS = 3 -- in RESTART_SPAN_S; a server that always crashes must not be started for ever
local RESTART_SPAN_S = 180

local crashes = {}

---The configuration for |vim.lsp.config()|.
function M.config()
  local opts = options.get()
  return {
    cmd = opts.cmd,
    settings = { connote = opts.settings },
    -- Plugins that rename files ask whether a server wants to know, and servers want what a client offers.
    capabilities = { workspace = { fileOperations = { didCreate = true, didRename = true, didDelete = true } } },
    -- A file that belongs to no project starts nothing: its folder may be anything, even the home folder.
    root_dir = function(buffer, use)
      local root = M._is_file(buffer) and vim.fs.root(buffer, opts.root_markers)
      if root then
        use(root)
      end
    end,
    handlers = {
      ["connote/statusChanged"] = function(_, params, context)
        require("connote.state").changed(context.client_id, params)
      end,
    },
    on_exit = function(code, signal, id)
      M._exited(code, signal, id)
    end,
  }
end

---Starts the server for files of projects, those that are open already included.
function M.enable()
  vim.lsp.config(NAME, M.config())
  vim.lsp.enable(NAME)
end

---Starts the server for a file's buffer, if the file belongs to a project, or joins the one that runs.
---@param buffer integer
function M.attach(buffer)
  M.config().root_dir(buffer, function(root)
    local config = vim.deepcopy(vim.lsp.config[NAME] or M.config())
    config.name, config.root_dir = NAME, root
    vim.lsp.start(config, { bufnr = buffer })
  end)
end

---@return vim.lsp.Client[] clients all that run
function M.running()
  return vim.lsp.get_clients({ name = NAME })
end

---The command that starts the server, as it is configured.
---@return string[]|function
function M.command()
  local config = vim.lsp.config[NAME]
  return config and config.cmd or options.get().cmd
end

---Why the server cannot be started, or nil.
---@return string?
function M.missing()
  local cmd = M.command()
  if type(cmd) == "table" and vim.fn.executable(cmd[1]) == 0 then
    return ("there is no program %s. Install it with `uv tool install connote` or `pipx install connote`, "):format(cmd[1])
      .. "or name it in setup{ cmd = { ... } }"
  end
end

---Finds the client for the current buffer, or starts it, and hands it on when it can answer.
---@param on_ready fun(client: vim.lsp.Client?, why: string?) without a client, `why` tells what to do
function M.with_client(on_ready)
  local client = M._present()
  if client and client.initialized then
    on_ready(client)
    return
  end
  if not client then
    local why = M.missing()
    if why then
      on_ready(nil, why)
      return
    end
    client = M._start(vim.api.nvim_get_current_buf())
  end
  if not client then
    on_ready(nil, "the server could not be started; :checkhealth connote tells more")
    return
  end
  M._when_initialized(client, on_ready)
end

---The root that a search from a buffer means: that of its file, else that of the current folder.
function M.root(buffer)
  local markers = options.get().root_markers
  local root = M._is_file(buffer) and vim.fs.root(buffer, markers)
  local here = vim.fs.normalize(vim.fn.getcwd())
  return root or vim.fs.root(here, markers) or here
end

---Whether a buffer is that of a file: not one without a name, of a plugin's `scheme://`, or of a terminal.
function M._is_file(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  return vim.bo[buffer].buftype == "" and name ~= "" and not name:find("^%a[%w+.-]*://")
end

function M._present()
  local clients = vim.lsp.get_clients({ name = NAME, bufnr = 0, _uninitialized = true })
  if clients[1] then
    return clients[1]
  end
  local root = M.root(vim.api.nvim_get_current_buf())
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME, _uninitialized = true })) do
    if client.root_dir == root and not client:is_stopped() then
      return client
    end
  end
end

function M._start(buffer)
  local config = vim.deepcopy(vim.lsp.config[NAME] or M.config())
  config.name = NAME
  config.root_dir = M.root(buffer)
  local name = vim.fs.normalize(vim.api.nvim_buf_get_name(buffer))
  local inside = M._is_file(buffer) and vim.startswith(name, config.root_dir .. "/")
  local id = vim.lsp.start(config, { bufnr = buffer, attach = inside })
  return id and vim.lsp.get_client_by_id(id)
end

function M._when_initialized(client, on_ready)
  local since = vim.uv.now()
  local function look()
    if client.initialized then
      on_ready(client)
    elseif client:is_stopped() or not vim.lsp.get_client_by_id(client.id) then
      on_ready(nil, "the server ended at its start; :checkhealth connote tells more, and " .. vim.lsp.get_log_path())
    elseif vim.uv.now() - since > START_MS then
      on_ready(nil, "the server does not answer; " .. vim.lsp.get_log_path() .. " may say why")
    else
      vim.defer_fn(look, POLL_MS)
    end
  end
  look()
end

---Starts a server that crashed again, for its buffers.
function M._exited(code, signal, id)
  local client = vim.lsp.get_client_by_id(id)
  local buffers = client and vim.tbl_keys(client.attached_buffers) or {}
  local asked = client == nil or client._is_stopping or vim.v.exiting ~= vim.NIL
  if (code == 0 and signal == 0) or asked or not client.initialized then
    return
  end
  local now = os.time()
  crashes = vim.tbl_filter(function(time)
    return now - time < RESTART_SPAN_S
  end, crashes)
  table.insert(crashes, now)
  vim.schedule(function()
    require("connote.state").forget(id)
    if #crashes > RESTARTS then
      vim.notify(
        ("connote: the server ended %d times; only a search starts it again now; %s may say why"):format(#crashes, vim.lsp.get_log_path()),
        vim.log.levels.ERROR
      )
      return
    end
    vim.defer_fn(function()
      for _, buffer in ipairs(buffers) do
        if vim.api.nvim_buf_is_loaded(buffer) then
          vim.lsp.start(client.config, { bufnr = buffer })
        end
      end
    end, 250 * 2 ^ (#crashes - 1))
  end)
end

return M
