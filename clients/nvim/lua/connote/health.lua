--- `:checkhealth connote`.
local M = {}

local server = require("connote.server")

local function version(cmd)
  local done = vim.system({ cmd, "--version" }, { text = true, timeout = 10000 }):wait()
  return done.code == 0 and vim.trim(done.stdout) or nil, vim.trim((done.stderr or "") .. (done.stdout or ""))
end

local function check_program()
  local cmd = server.command()
  if type(cmd) ~= "table" then
    vim.health.ok("the server is started by a function")
    return
  end
  local why = server.missing()
  if why then
    vim.health.error(why)
    return
  end
  local found, output = version(cmd[1])
  if found then
    vim.health.ok(("%s (%s)"):format(found, vim.fn.exepath(cmd[1])))
  else
    vim.health.error(("%s --version fails"):format(vim.fn.exepath(cmd[1])), output)
  end
end

local function check_clients()
  local clients = server.running()
  if #clients == 0 then
    vim.health.info("no server runs; it starts with the first file of a project, or with :Connote")
    return
  end
  for _, client in ipairs(clients) do
    local text = ("server %d for %s, columns in %s"):format(client.id, client.root_dir or "no folder", client.offset_encoding)
    vim.health.ok(text)
    local reply = client:request_sync("connote/status", vim.empty_dict(), 5000)
    if not reply or reply.err then
      vim.health.error("it does not tell its status", reply and reply.err.message or "no answer in 5 s")
    else
      for _, folder in ipairs(reply.result.folders) do
        local report = folder.state == "error" and vim.health.error or folder.state == "degraded" and vim.health.warn or vim.health.ok
        report(table.concat(require("connote.state").lines(folder), "\n"))
      end
    end
  end
end

function M.check()
  vim.health.start("connote: program")
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim " .. tostring(vim.version()))
  else
    vim.health.error("Neovim 0.11 or newer is needed")
  end
  check_program()
  local picker = require("connote.options").get().picker
  if type(picker) == "string" then
    picker = picker == "auto" and require("connote.present").present() or picker
    vim.health.info("searches are shown by " .. (picker == "float" and "the picker of this plugin" or picker))
  end
  vim.health.start("connote: servers and indexes")
  if vim.lsp.is_enabled and not vim.lsp.is_enabled("connote") then
    vim.health.info('it does not start with files: require("connote").setup() was not called')
  end
  check_clients()
end

return M
