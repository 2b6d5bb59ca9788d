-- The server's life: start on demand, freshness, status, rebuild, crash, health.
local editors = require("editor")

local root = editors.project("serving")
local editor

function _G.before_each()
  editor = editors.shared(root)
end

test(":Connote starts the server when no file of the project is open", function()
  equal(0, editor:lua([[return #vim.lsp.get_clients({ _uninitialized = true })]]))
  editor:command("Connote! retry a failed upload")
  local first = editor:wait("vim.fn.getqflist()[1]")
  equal({ 4, 5 }, { first.lnum, first.col })
  editor:command("cclose")
end)

local other_editor

---An editor on a project whose folders nothing watches, and whose settings hold every result for weak.
local function unwatched()
  if not other_editor then
    local settings = { rank = { min_score = 1 }, server = { watch = "off" } }
    other_editor = editors.open(editors.project("unwatched"), { settings = settings })
    other_editor:command("edit src/upload.py")
    other_editor:wait_ready()
  end
  return other_editor
end

---Writes a file with the editor.
local function save(path, lines)
  editor:command("edit " .. path)
  editor:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", lines)
  editor:command("write")
end

---Waits until an editor's first answer to a query is in a file.
local function wait_first(asking, query, path)
  asking:wait(([[(function()
    vim.fn.setqflist({}, "r")
    require("connote").pick(%q, { quickfix = true })
    vim.wait(500, function() return #vim.fn.getqflist() > 0 end)
    local first = vim.fn.getqflist()[1]
    return first and vim.endswith(vim.api.nvim_buf_get_name(first.bufnr), %q)
  end)()]]):format(query, path))
  asking:command("cclose")
end

test("a saved file is found, and found as it is after the next save", function()
  save("src/shred.py", { "def shred(path):", '    """Overwrite a document so that nobody can recover it."""', "    path.write_bytes(bytes(9))" })
  wait_first(editor, "destroy a document beyond recovery", "src/shred.py")
  save("src/shred.py", { "def temperature(sensor):", '    """Read the thermometer, in degrees Celsius."""', "    return sensor.read() / 10" })
  wait_first(editor, "how warm is it according to the thermometer", "src/shred.py")
end)

test("a jump lands on the code although unsaved lines are above it", function()
  editor:command("edit! src/upload.py")
  editor:wait_ready()
  editor:lua([[vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# one", "# two", "# three" })]])
  editor:command("Connote retry a failed upload")
  editor:wait_list("retry_upload")
  editor:type("<CR>")
  editor:wait([[vim.fn.line(".") == 7]])
  equal({ "src/upload.py", 7, 4 }, editor:place())
  editor:command("edit!")
end)

test("files that something else renames and deletes are followed", function()
  assert(vim.uv.fs_rename(vim.fs.joinpath(root, "src/limits.py"), vim.fs.joinpath(root, "src/quota.py")))
  assert(vim.uv.fs_unlink(vim.fs.joinpath(root, "web/form.js")))
  editor:wait([[(function()
    local client = vim.lsp.get_clients({ name = "connote" })[1]
    local function paths(query)
      local reply = client:request_sync("workspace/semanticSearch", { query = query }, 20000)
      return vim.tbl_map(function(hit) return hit.path end, reply.result.hits)
    end
    return paths("too many requests")[1] == "src/quota.py" and not vim.list_contains(paths("validate e-mail address"), "web/form.js")
  end)()]])
end)

test("two windows on one root have one server", function()
  editor:command("split src/quota.py")
  editor:wait([[#vim.lsp.get_clients({ name = "connote", bufnr = 0 }) == 1]])
  equal(1, editor:lua([[return #vim.lsp.get_clients({ name = "connote" })]]))
  editor:command("only")
end)

test("a second editor on the root, with vim.lsp.enable() alone and no setup(), sees what the first saves", function()
  local other = editors.open(root, false, { PATH = vim.fs.dirname(editors.SERVER) .. ":" .. vim.env.PATH })
  other:lua([[vim.lsp.enable("connote")]])
  other:command("edit src/upload.py")
  other:wait_ready()
  save("src/weather.py", { "def forecast(city):", '    """Tell whether it will rain tomorrow."""', "    return city.clouds > 0.7" })
  wait_first(other, "shall I take an umbrella: rain tomorrow", "src/weather.py")
  other:close()
end)

test("neither buffers that are no files nor a file of no project start a server", function()
  local path = editors.write(vim.fs.joinpath(vim.env.CONNOTE_TEST_HOME, "alone"), "note.py", { "x = 1" })
  local other = editors.open(root)
  other:command("edit " .. path)
  for _, name in ipairs({ "enew", "edit demo://src/upload.py", "terminal true" }) do
    other:command(name)
    other:command("setlocal filetype=python")
  end
  other:check_first_server("src/upload.py")
  other:close()
end)

test("status names the folder, its state and its files", function()
  editor:lua("notices = {}")
  editor:command("ConnoteStatus")
  local text = editor:wait("notices[1] and notices[1].text")
  assert(text:find(root .. ": ready", 1, true), text)
  assert(text:find("%d+ files in %d+ chunks"), text)
end)

test("reindexing and rebuilding tell when they are done", function()
  for _, command in ipairs({ "ConnoteReindex", "ConnoteReindex!" }) do
    editor:lua("notices = {}")
    editor:command(command)
    local text = editor:wait("notices[2] and notices[2].text")
    assert(text:find("%d+ files indexed"), text)
  end
  editor:command("Connote retry a failed upload")
  editor:wait_list("retry_upload")
  editor:type("<Esc>")
end)

test("health is well, and tells the server and the index", function()
  editor:command("checkhealth connote")
  local text = table.concat(editor:wait([[vim.bo.filetype == "checkhealth" and vim.api.nvim_buf_get_lines(0, 0, -1, false)]]), "\n")
  assert(text:find("connote, version", 1, true) or text:find("connote %d"), text)
  assert(text:find("ready", 1, true) and not text:find("ERROR", 1, true), text)
  editor:command("bwipeout!")
end)

test("a server that is killed is started again, and finds", function()
  editor:command("edit src/upload.py")
  editor:wait([[#vim.lsp.get_clients({ name = "connote", bufnr = 0 }) == 1]])
  local before = editor:lua([[return vim.lsp.get_clients({ name = "connote" })[1].id]])
  for _, child in ipairs(editor:children()) do
    vim.uv.kill(child, "sigkill")
  end
  editor:wait(([[(vim.lsp.get_clients({ name = "connote", bufnr = 0 })[1] or { id = %d }).id ~= %d]]):format(before, before))
  editor:command("Connote retry a failed upload")
  editor:wait_list("retry_upload")
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
end)

test("a server that is not installed is named with what to do, by the picker and by health", function()
  local other = editors.open(root, { cmd = { "no-such-connote", "lsp" } })
  other:command("Connote anything")
  editors.wait("what is missing, on the screen", function()
    return other:screen():find("there is no program no%-such%-connote")
  end)
  other:type("<Esc>")
  other:wait([[#vim.api.nvim_list_wins() == 1]])
  other:command("checkhealth connote")
  other:wait([[vim.bo.filetype == "checkhealth" and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find("ERROR")]])
  other:close()
end)

test("settings reach the server", function()
  editor:command("edit! src/upload.py")
  editor:wait_ready()
  editor:command("Connote retry a failed upload")
  editor:wait_list("retry_upload")
  equal(nil, editor:screen():find("Nothing matches well", 1, true))
  editor:type("<Esc>")
  local other = unwatched()
  other:command("Connote retry a failed upload")
  other:wait_list("retry_upload")
  assert(other:screen():find("Nothing matches well", 1, true), other:screen())
  other:type("<Esc>")
end)

test("what file managers and commands do is told where nothing watches", function()
  local other = unwatched()
  local root_of = other.root
  local function path(name)
    return vim.fs.joinpath(root_of, name)
  end
  local function happened(pattern, data)
    other:lua([[vim.api.nvim_exec_autocmds("User", { pattern = ..., data = select(2, ...) })]], pattern, data)
  end
  local function wait_files(wanted, gone)
    other:wait(([[(function()
      local client = vim.lsp.get_clients({ name = "connote" })[1]
      local reply = client:request_sync("workspace/semanticSearch", { query = "code", limit = 50, minScore = 0 }, 20000)
      local paths = vim.tbl_map(function(hit) return hit.path end, reply.result.hits)
      return vim.list_contains(paths, %q) and not vim.list_contains(paths, %q)
    end)()]]):format(wanted, gone))
  end
  assert(vim.uv.fs_rename(path("src/limits.py"), path("src/quota.py")))
  happened("OilActionsPost", { actions = { { type = "move", entry_type = "file", src_url = "oil://" .. path("src/limits.py"), dest_url = "oil://" .. path("src/quota.py") } } })
  wait_files("src/quota.py", "src/limits.py")
  assert(vim.uv.fs_rename(path("web"), path("pages")))
  happened("MiniFilesActionRename", { action = "rename", from = path("web"), to = path("pages") })
  wait_files("pages/form.js", "web/form.js")
  assert(vim.uv.fs_unlink(path("src/download.py")))
  happened("MiniFilesActionDelete", { action = "delete", from = path("src/download.py") })
  other:command("edit src/upload.py")
  other:command("write src/again.py")
  wait_files("src/again.py", "src/download.py")
end)

test("plugins that rename files learn that the server wants to know", function()
  for _, method in ipairs({ "workspace/didCreateFiles", "workspace/didRenameFiles", "workspace/didDeleteFiles" }) do
    assert(unwatched():lua([[return vim.lsp.get_clients({ name = "connote" })[1]:supports_method(...)]], method), method)
  end
end)

-- R069
test("opening, searching, closing and restarting many times leaves no message", function()
  editor:command("messages clear")
  editor:lua("notices = {}")
  for round = 1, 50 do
    editor:command("edit src/" .. (round % 2 == 0 and "upload.py" or "quota.py"))
    editor:command("Connote retry a failed upload")
    editor:type("<Esc>")
    editor:wait([[vim.fn.mode() == "n" and #vim.api.nvim_list_wins() == 1]])
    editor:command("bdelete")
    if round == 25 then
      editor:lua([[vim.lsp.enable("connote", false) vim.lsp.enable("connote")]])
    end
  end
  editor:command("edit src/upload.py")
  editor:command("Connote retry a failed upload")
  editor:wait_list("retry_upload")
  editor:type("<Esc>")
  equal({ "", {} }, { vim.trim(vim.rpcrequest(editor.channel, "nvim_exec2", "messages", { output = true }).output), editor:lua("return notices") })
end)

test("a file without a type has the server too", function()
  editors.write(root, "NOTES", { "Where the archive is kept." })
  editor:command("edit NOTES")
  equal("", editor:lua("return vim.bo.filetype"))
  editor:wait([[#vim.lsp.get_clients({ name = "connote", bufnr = 0 }) == 1]])
  equal(1, editor:lua([[return #vim.lsp.get_clients({ name = "connote" })]]))
end)

test("wrong options are named", function()
  local other = editors.open(root, { limit = 1000, color = "red" })
  local notices = other:lua("return notices")
  equal(2, #notices)
  assert(notices[1].text:find("no option color") and notices[2].text:find("limit must be"), vim.inspect(notices))
  other:close()
end)
