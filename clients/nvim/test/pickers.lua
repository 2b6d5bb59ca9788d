-- The pickers of other plugins, with the real plugins where CONNOTE_TEST_PLUGINS names a folder that holds them.
local editors = require("editor")

local root = editors.project("pickers")
local home = vim.env.CONNOTE_TEST_PLUGINS or ""

local PLUGINS = {
  telescope = { "plenary.nvim", "telescope.nvim" },
  ["fzf-lua"] = { "fzf-lua" },
  snacks = { "snacks.nvim", setup = [[require("snacks").setup({ picker = { enabled = true } })]] },
  ["mini-pick"] = { "mini.pick", setup = [[require("mini.pick").setup()]] },
}

---An editor with a plugin, or why there is none.
local function with(name)
  local plugin = PLUGINS[name]
  for _, folder in ipairs(plugin) do
    if home == "" or not vim.uv.fs_stat(vim.fs.joinpath(home, folder)) then
      return nil, "CONNOTE_TEST_PLUGINS names no folder with " .. folder
    end
  end
  local editor = editors.open(root)
  for _, folder in ipairs(plugin) do
    editor:lua([[vim.opt.runtimepath:append(...)]], vim.fs.joinpath(home, folder))
  end
  editor:lua(plugin.setup or "")
  editor:command("edit src/upload.py")
  editor:wait_ready()
  return editor
end

local function wait_screen(editor, text)
  local ok = pcall(editors.wait, text, function()
    return editor:screen():find(text, 1, true)
  end)
  if not ok then
    error(("no %s on the screen; notices: %s\n%s"):format(text, vim.inspect(editor:lua("return notices")), editor:screen()), 0)
  end
end

local function show(name)
  local editor, why = with(name)
  if not editor then
    return why
  end
  local function wait_preview(text)
    if name ~= "mini-pick" then -- it previews when asked to
      wait_screen(editor, text)
    end
  end
  equal(name, editor:lua([[return require("connote.present").present()]]))
  -- Typed into it: what is found has none of the words, and the server's order is kept.
  editor:type(":Connote<CR>")
  editor:wait([[require("connote.present").present() and vim.fn.mode() ~= "c"]])
  editor:type("throttle abusive users")
  wait_screen(editor, "Limiter (class)")
  wait_preview("Keeps clients from asking")
  editor:type("<CR>")
  editor:wait([[vim.fn.expand("%:t") == "limits.py"]])
  equal({ "src/limits.py", 4, 6 }, editor:place())
  -- Given with the command, and after characters of several bytes.
  editor:type(":Connote is this a well-formed e-mail address<CR>")
  wait_screen(editor, "validateEmail (func")
  wait_preview("An e-mail address has one at sign")
  editor:type("<CR>")
  editor:wait([[vim.fn.expand("%:t") == "form.js"]])
  equal({ "web/form.js", 3, 30 }, editor:place())
  -- A list that is not asked again, and narrowed by the plugin.
  editor:command("edit +5 src/download.py")
  editor:type(":ConnoteSimilar<CR>")
  wait_screen(editor, "retry_upload (func")
  wait_preview("Upload a file and retry")
  editor:type("<CR>")
  editor:wait([[vim.fn.expand("%:t") == "upload.py"]])
  equal({}, editor:lua("return notices"))
  editor:close()
end

test("a picker is used when its plugin is there: telescope.nvim", function()
  return show("telescope")
end)

test("a picker is used when its plugin is there: fzf-lua", function()
  return show("fzf-lua")
end)

test("a picker is used when its plugin is there: snacks.nvim", function()
  return show("snacks")
end)

test("a picker is used when its plugin is there: mini.pick", function()
  return show("mini-pick")
end)
