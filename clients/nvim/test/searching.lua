-- What a person does with the picker, in one editor on one project; with a real server.
local editors = require("editor")

local root = editors.project("searching")
local editor

function _G.before_each()
  editor = editors.shared(root)
end

test("the server starts with a project's file and indexes it", function()
  editor:lua([[vim.api.nvim_create_autocmd("LspProgress", { callback = function(event)
    progress = progress or {}
    table.insert(progress, event.data.params.value.kind)
  end })]])
  editor:command("edit src/upload.py")
  editor:wait_ready()
  equal(root, editor:lua([[return vim.lsp.get_clients({ name = "connote" })[1].root_dir]]))
  editor:wait([[progress and vim.list_contains(progress, "end")]])
  editor:wait([[require("connote").statusline() == ""]])
end)

test("results come while typing, in words that the code does not have, and Enter jumps to the name", function()
  editor:command("Connote")
  editor:type("throttle abusive users")
  editor:wait_list("Limiter")
  editor:type("<CR>")
  editor:wait([[vim.fn.expand("%:t") == "limits.py"]])
  equal({ "src/limits.py", 4, 6 }, editor:place())
  equal({ "n", false }, { editor:lua("return vim.fn.mode()"), editor:list() ~= nil })
end)

test("the place before is on the jump list and on the tag stack", function()
  editor:command("edit src/upload.py")
  editor:command("Connote throttle abusive users")
  editor:wait_list("Limiter")
  editor:type("<CR>")
  editor:wait([[vim.fn.expand("%:t") == "limits.py"]])
  editor:type("<C-o>")
  editor:wait([[vim.fn.expand("%:t") == "upload.py"]])
  editor:type("<C-i>")
  editor:wait([[vim.fn.expand("%:t") == "limits.py"]])
  editor:type("<C-t>")
  editor:wait([[vim.fn.expand("%:t") == "upload.py"]])
end)

test("a jump counts columns as agreed: after characters of several bytes too", function()
  local found = { ["utf-8"] = editor }
  for _, encoding in ipairs({ "utf-16", "utf-32" }) do
    found[encoding] = editors.open(root)
    found[encoding]:lua(
      [[vim.lsp.config("connote", { capabilities = { general = { positionEncodings = { ... } } } })]],
      encoding
    )
    found[encoding]:command("edit src/upload.py")
  end
  for encoding, other in pairs(found) do
    other:wait_ready()
    equal(encoding, other:lua([[return vim.lsp.get_clients({ name = "connote" })[1].offset_encoding]]))
    other:command("Connote is this a well-formed e-mail address")
    other:wait_list("validateEmail")
    other:type("<CR>")
    other:wait([[vim.fn.expand("%:t") == "form.js"]])
    equal({ "validateEmail", { "web/form.js", 3, 30 } }, { other:lua([[return vim.fn.expand("<cword>")]]), other:place() })
    other:command("Connote! is this a well-formed e-mail address")
    local first = other:wait("vim.fn.getqflist()[1]")
    equal({ 3, 31 }, { first.lnum, first.col })
    if other ~= editor then
      other:close()
    end
  end
  editor:command("cclose")
end)

test("a file whose path has spaces, # and umlauts opens", function()
  editor:command("Connote show an amount of money")
  editor:wait_list("formatCurrency")
  editor:type("<CR>")
  editor:wait([[vim.fn.expand("%:t") == "täst.js"]])
  equal({ "web/with space#1/täst.js", 1, 9 }, editor:place())
end)

test("the list keeps the server's order and is not filtered by name", function()
  editor:command("Connote try again after an error")
  local shown = editor:wait_list("retry_")
  editor:type("<Esc>")
  local names = editor:lua([[
    local client = vim.lsp.get_clients({ name = "connote" })[1]
    local reply = client:request_sync("workspace/semanticSearch", { query = "try again after an error", limit = 20 }, 20000)
    return vim.tbl_map(function(hit) return hit.name end, reply.result.hits)]])
  equal(#names, #shown)
  for index, name in ipairs(names) do
    assert(shown[index]:find(name, 1, true), shown[index])
  end
end)

test("the preview shows the code, and follows the selection; Escape leaves everything as it was", function()
  editor:command("edit src/limits.py")
  editor:type("5G")
  local before = editor:place()
  editor:command("Connote retry after a failure with a growing pause")
  local lines = editor:wait_list("retry_")
  local first, second = lines[1]:match("(%S+):%d+$"), (lines[2] or ""):match("(%S+):%d+$")
  assert(second and first ~= second, "the preview of one file shows nothing of how it follows")
  local function previewed()
    return editor:lua([[
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        local config = vim.api.nvim_win_get_config(window)
        if config.relative ~= "" and vim.bo[vim.api.nvim_win_get_buf(window)].filetype == "" then
          return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
        end
      end]])
  end
  editor:wait([[#vim.api.nvim_list_wins() >= 4]])
  for index, file in ipairs({ first, second }) do
    editors.wait(index .. " is previewed: " .. file, function()
      return vim.deep_equal(vim.fn.readfile(vim.fs.joinpath(root, file)), previewed())
    end)
    editor:type("<C-n>")
  end
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
  equal(before, editor:place())
  equal("n", editor:lua("return vim.fn.mode()"))
end)

test("filters in the prompt narrow; an unknown kind is said in the list, and typing on helps", function()
  editor:command("Connote")
  editor:type("retry a failure")
  editor:wait_list("src/upload.py")
  editor:type(" path:src/download.py")
  editors.wait("that file alone", function()
    local lines = editor:list() or {}
    return #lines == 1 and lines[1]:find("src/download.py", 1, true)
  end)
  editor:type("<C-u>retry a failed upload kind:functio")
  editors.wait("the complaint", function()
    return editor:screen():find("functio is unknown", 1, true)
  end)
  editor:type("n")
  editor:wait_list("retry_upload")
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
end)

test("what was typed before is cancelled, and its answer never shown", function()
  editor:lua([[
    local client = vim.lsp.get_clients({ name = "connote" })[1]
    sent, cancelled = {}, {}
    local request, cancel = client.request, client.cancel_request
    client.request = function(self, method, params, ...)
      local ok, id = request(self, method, params, ...)
      if method == "workspace/semanticSearch" then table.insert(sent, { id = id, query = params.query }) end
      return ok, id
    end
    client.cancel_request = function(self, id) table.insert(cancelled, id) return cancel(self, id) end
    results = {}
    for index, query in ipairs({ "retry a failed upload", "too many requests" }) do
      stop = require("connote").search(query, {}, function(result) table.insert(results, { index, result.items[1].name }) end)
      if index == 1 then stop() end
    end]])
  editor:wait("#results > 0")
  equal({ { 2, "Limiter" } }, editor:lua("return results"))
  equal({ "retry a failed upload", "too many requests" }, editor:lua("return vim.tbl_map(function(one) return one.query end, sent)"))
  equal(editor:lua("return { sent[1].id }"), editor:lua("return cancelled"))
end)

test("keys open beside, and put the list into the quickfix list in its order", function()
  editor:command("edit src/limits.py")
  editor:command("Connote retry a failed upload")
  editor:wait_list("retry_upload")
  editor:type("<C-v>")
  editor:wait([[#vim.api.nvim_list_wins() == 2 and vim.fn.expand("%:t") == "upload.py"]])
  equal({ "src/upload.py", 4, 4 }, editor:place())
  editor:command("only")
  editor:command("Connote retry after a failure with a growing pause")
  local shown = editor:wait_list("retry_")
  editor:type("<C-q>")
  editor:wait([[vim.bo.buftype == "quickfix"]])
  local entries = editor:lua("return vim.fn.getqflist()")
  equal(#shown, #entries)
  for index, entry in ipairs(entries) do
    assert(shown[index]:find(entry.text, 1, true), shown[index] .. " is not " .. entry.text)
  end
  equal("Connote retry after a failure with a growing pause", editor:lua("return vim.fn.getqflist({ title = 1 }).title"))
  editor:command("cclose")
end)

test("symbols by meaning are definitions only", function()
  editor:command("ConnoteSymbols forget the counters each minute")
  for _, line in ipairs(editor:wait_list("reset")) do
    assert(line:find("%((.-)%)") and not line:find("(file)", 1, true), line)
  end
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
end)

test("similar code is that of the cursor's place, without the place; what is typed narrows it", function()
  editor:command("edit src/download.py")
  editor:type("5G")
  editor:command("ConnoteSimilar")
  for _, line in ipairs(editor:wait_list("retry_upload")) do
    assert(not line:find("retry_download", 1, true), line)
  end
  editor:type("no such thing")
  editors.wait("an empty list", function()
    return vim.deep_equal({ "" }, editor:list())
  end)
  editor:type("<C-u>upload")
  editor:wait_list("retry_upload")
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
end)

test("what was searched last comes again", function()
  editor:command("Connote retry a failed upload")
  editor:wait_list("retry")
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
  editor:type(":ConnoteResume<CR>")
  editor:wait_list("retry")
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
end)

test("the <Plug> mappings are there, and no key is taken", function()
  equal({}, editor:lua([[
    local taken = {}
    for _, mode in ipairs({ "n", "x", "i" }) do
      for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
        if (map.rhs or ""):find("Connote") and not map.lhs:find("^<Plug>") then table.insert(taken, map.lhs) end
      end
    end
    return taken]]))
  for mode, names in pairs({ n = { "search", "symbols", "similar", "resume" }, x = { "similar" } }) do
    for _, name in ipairs(names) do
      assert(editor:lua("return vim.fn.maparg(...)", "<Plug>(connote-" .. name .. ")", mode) ~= "", mode .. " " .. name)
    end
  end
  editor:lua([[vim.keymap.set("n", "gS", "<Plug>(connote-search)")]])
  editor:type("gS")
  editor:wait([[vim.bo.filetype == "connote_prompt" and vim.fn.mode() == "i"]])
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
end)

test("vim.ui.select and a function can be the picker", function()
  editor:lua([[
    vim.ui.select = function(items, opts, choose)
      selected = { count = #items, text = opts.format_item(items[1]), kind = opts.kind }
      choose(items[1])
    end
    require("connote.options").get().picker = "select"
    require("connote").search("too many requests")]])
  editor:wait([[selected and vim.fn.expand("%:t") == "limits.py"]])
  equal({ "src/limits.py", 4, 6 }, editor:place())
  equal("connote", editor:lua("return selected.kind"))
  editor:lua([[
    require("connote.options").get().picker = function(spec)
      spec.source(spec.query, function(result) spec.jump(result.items[1], "split") end)
    end
    require("connote").search("retry a failed upload")]])
  editor:wait([[#vim.api.nvim_list_wins() == 2 and vim.fn.expand("%:p:h:t") == "src"]])
  editor:command("only")
  editor:lua([[require("connote.options").get().picker = "auto"]])
end)

test("our own picker takes over where that of a plugin cannot be used, and says so", function()
  editor:lua([[notices = {} require("connote.options").get().picker = "telescope"]])
  editor:command("Connote too many requests")
  editor:wait_list("Limiter")
  editor:type("<Esc>")
  assert(editor:lua("return notices")[1].text:find("telescope cannot be used", 1, true))
  editor:lua([[require("connote.options").get().picker = "auto"]])
end)

test("a screen of few columns has no preview, and a change of size keeps the picker in it", function()
  editor:command("Connote retry a failed upload")
  editor:wait_list("retry")
  vim.rpcrequest(editor.channel, "nvim_ui_try_resize", 60, 20)
  editors.wait("a narrow picker", function()
    local screen = editor:screen()
    return screen:find("retry", 1, true) and editor:lua([[
      local shown = 0
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        local config = vim.api.nvim_win_get_config(window)
        if config.relative ~= "" and not config.hide then
          shown = shown + 1
          if config.col + config.width + 2 > vim.o.columns then return false end
        end
      end
      return shown == 2]])
  end)
  vim.rpcrequest(editor.channel, "nvim_ui_try_resize", 140, 40)
  editor:type("<Esc>")
  editor:wait([[#vim.api.nvim_list_wins() == 1]])
end)

test("the editor ends at once with its server", function()
  editor:command("edit src/upload.py")
  editor:wait([[#vim.lsp.get_clients({ name = "connote", bufnr = 0 }) == 1]])
  local children = editor:children()
  assert(#children > 0, "no server is a process of the editor")
  editor:close()
  for _, process in ipairs(children) do
    editors.wait("process " .. process .. " ends", function()
      return not vim.uv.kill(process, 0)
    end)
  end
end)
