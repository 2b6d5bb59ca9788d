--- A Neovim with the plugin in it, driven from the test by keys and by Lua; and the project that it edits.
local M = {}

local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local plugin = vim.fs.dirname(here)

M.SERVER = vim.env.CONNOTE_TEST_SERVER
local WAIT_MS = 30000

local FILES = {
  ["src/limits.py"] = {
    '"""Limits of clients."""',
    "",
    "",
    "class Limiter:",
    '    """Keeps clients from asking too often."""',
    "",
    "    def check_quota(self, client):",
    '        """Refuse a client that has sent too many requests in this minute."""',
    "        if self.count(client) > self.most:",
    "            raise TooMany(client)",
    "        self.counted[client] += 1",
  },
  ["src/upload.py"] = {
    '"""Uploads to the archive."""',
    "",
    "",
    "def retry_upload(client, path, attempts=3):",
    '    """Upload a file and retry a failed upload with a growing pause."""',
    "    for attempt in range(attempts):",
    "        try:",
    "            return client.upload(path)",
    "        except ConnectionError:",
    "            client.sleep(2**attempt)",
    "    raise TimeoutError(path)",
  },
  ["src/download.py"] = {
    '"""Downloads from the archive."""',
    "",
    "",
    "def retry_download(client, path, attempts=5):",
    '    """Download a file and retry a failed download with a growing pause."""',
    "    for attempt in range(attempts):",
    "        try:",
    "            return client.download(path)",
    "        except ConnectionError:",
    "            client.sleep(2**attempt)",
    "    raise TimeoutError(path)",
  },
  ["src/counters.py"] = {
    "def reset(counted):",
    '    """Forget what was counted, when a minute is over."""',
    "    counted.clear()",
  },
  ["web/form.js"] = {
    "// The form.",
    "",
    "/* 😀 é 漢字 */ function validateEmail(address) {",
    "  // An e-mail address has one at sign and a domain with a dot.",
    "  return /^[^@]+@[^@]+[.][^@]+$/.test(address);",
    "}",
  },
  ["web/with space#1/täst.js"] = {
    "function formatCurrency(amount, currency) {",
    "  // Shows a price with its currency sign and two decimals.",
    "  return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount);",
    "}",
  },
}

---Writes a file of a project, with its folders.
function M.write(root, name, lines)
  local path = vim.fs.joinpath(root, name)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  assert(vim.fn.writefile(lines, path) == 0)
  return path
end

---A new project with code in it.
function M.project(name)
  local root = vim.fs.joinpath(vim.uv.fs_realpath(vim.env.CONNOTE_TEST_HOME), "projects", name)
  M.write(root, "connote.toml", {})
  for file, lines in pairs(FILES) do
    M.write(root, file, lines)
  end
  return root
end

---Waits until `done` gives something true, and gives that.
function M.wait(what, done)
  local value
  local ok = vim.wait(WAIT_MS, function()
    value = done()
    return value
  end, 20)
  if not ok then
    error("waited in vain: " .. what, 0)
  end
  return value
end

local open, shared = {}, nil

local Editor = {}
Editor.__index = Editor

---Starts an editor in a folder; `options` go to setup(), unless they are false.
function M.open(root, options, environment)
  local channel = vim.fn.jobstart({ vim.env.CONNOTE_TEST_NVIM, "--embed", "--headless", "--clean", "-n" }, {
    rpc = true,
    cwd = root,
    env = environment,
  })
  local self = setmetatable({ channel = channel, root = root }, Editor)
  open[channel] = self
  vim.rpcrequest(channel, "nvim_ui_attach", 140, 40, vim.empty_dict())
  self:lua(
    [[
    local plugin, options = ...
    notices = {}
    vim.notify = function(text, level) table.insert(notices, { text = text, level = level }) end
    vim.opt.runtimepath:append(plugin)
    vim.cmd("filetype plugin indent on | runtime plugin/connote.lua")
    if options then require("connote").setup(options) end
    ]],
    plugin,
    options == false and false or vim.tbl_extend("keep", options or vim.empty_dict(), { cmd = { M.SERVER, "lsp" } })
  )
  return self
end

---The editor that the tests of a file share: opened for the first that runs, at rest for each.
function M.shared(root)
  if shared then
    shared:calm()
  else
    shared = M.open(root)
  end
  return shared
end

---Ends the editors that are still open, such as one whose claim did not hold.
function M.close_all()
  for _, editor in ipairs(vim.tbl_values(open)) do
    pcall(editor.close, editor)
  end
end

---Runs Lua in the editor and gives its value.
function Editor:lua(code, ...)
  return vim.rpcrequest(self.channel, "nvim_exec_lua", code, { ... })
end

---Types keys, as a person does.
function Editor:type(keys)
  vim.rpcrequest(self.channel, "nvim_input", keys)
end

---Leaves whatever is open, as a test that failed may have left it.
function Editor:calm()
  self:type("<C-Bslash><C-n>")
  self:wait([[vim.fn.mode() == "n"]])
  self:lua([[require("connote.pickers.float")._act("close") vim.cmd("silent! only!")]])
end

---Runs an Ex command.
function Editor:command(text)
  vim.rpcrequest(self.channel, "nvim_command", text)
end

---Waits until the Lua expression is true in the editor, and gives its value.
function Editor:wait(expression)
  local ok, value = pcall(M.wait, expression, function()
    local found = self:lua("local ok, value = pcall(function() return " .. expression .. " end) return ok and value")
    return found ~= vim.NIL and found
  end)
  if not ok then
    error(("%s\nnotices: %s\nscreen:\n%s"):format(value, vim.inspect(self:lua("return notices")), self:screen()), 0)
  end
  return value
end

---What the screen shows.
function Editor:screen()
  return self:lua([[
    vim.cmd.redraw()
    local lines = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
      lines[row] = (table.concat(cells):gsub("%s+$", ""))
    end
    return table.concat(lines, "\n")]])
end

---The lines of the picker's list; nil when there is none.
function Editor:list()
  local lines = self:lua([[
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.bo[buffer].filetype == "connote" then return vim.api.nvim_buf_get_lines(buffer, 0, -1, false) end
    end]])
  return lines ~= vim.NIL and lines or nil
end

---Waits until a line of the picker's list that fits a pattern is at a place, and gives the list.
function Editor:wait_list(pattern, place)
  local ok, found = pcall(M.wait, pattern, function()
    local lines = self:list() or {}
    return (lines[place or 1] or ""):find(pattern) and lines
  end)
  if not ok then
    error(("no %s at %d in the list\n%s"):format(pattern, place or 1, self:screen()), 0)
  end
  return found
end

---File relative to the root, line and byte column (from 0) of the cursor.
function Editor:place()
  local name, line, column = unpack(self:lua([[
    local at = vim.api.nvim_win_get_cursor(0)
    return { vim.api.nvim_buf_get_name(0), at[1], at[2] }]]))
  return { vim.fs.relpath(self.root, vim.fs.normalize(name)) or name, line, column }
end

---Waits until the index is complete.
function Editor:wait_ready()
  self:wait([[(function()
    local client = vim.lsp.get_clients({ name = "connote" })[1]
    local reply = client and client:request_sync("connote/status", vim.empty_dict(), 20000)
    return reply and reply.result.folders[1].state == "ready" and reply.result.folders[1].files >= 6
  end)()]])
end

---Opens a project's file, and makes sure that nothing opened before it has a server, or was joined to this one's.
function Editor:check_first_server(file)
  self:command("edit " .. file)
  self:wait([[#vim.lsp.get_clients({ name = "connote", bufnr = 0 }) == 1]])
  -- Servers start in the order of their files: one for a file before would be there by now.
  local served = self:lua([[
    return vim.iter(vim.lsp.get_clients({ _uninitialized = true })):map(function(client)
      return vim.tbl_keys(client.attached_buffers)
    end):totable()]])
  equal({ { self:lua("return vim.api.nvim_get_current_buf()") } }, served)
end

---The processes that it started.
function Editor:children()
  return self:lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())")
end

---Ends it, and its server.
function Editor:close()
  open[self.channel] = nil
  if self == shared then
    shared = nil
  end
  pcall(vim.rpcnotify, self.channel, "nvim_command", "qall!")
  if vim.fn.jobwait({ self.channel }, 15000)[1] == -1 then
    vim.fn.jobstop(self.channel)
    error("the editor did not end", 0)
  end
end

return M
