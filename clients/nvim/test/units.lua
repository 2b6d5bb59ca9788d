-- What needs no editor: the filters, the options, the notes.
local options = require("connote.options")
local query = require("connote.query")

test("filters are taken out of the query", function()
  equal(
    { query = "where is the retry", languages = { "go", "python" }, kinds = { "class" }, include = { "src/a/**" }, mode = "lexical" },
    query.parse("where is lang:Go,python the path:src/a/ kind:class mode:lexical retry")
  )
end)

test("a path is a file or a folder, anywhere when it is one name; a glob stays one; a minus leaves out", function()
  equal({ query = "x", include = { "src", "src/**", "**/src/**", "**/*.{go,c}" } }, query.parse("x path:src path:**/*.{go,c}"))
  equal({ query = "x", exclude = { "test/**", "**/test/**" } }, query.parse("x -path:test/"))
  equal({ query = "x", include = { "my docs/**", "**/my docs/**" } }, query.parse('x path:"my docs/"'))
end)

test("functions are methods too", function()
  equal({ query = "x", kinds = { "function", "method" } }, query.parse("x kind:function"))
end)

test("what only looks like a filter belongs to the query; one without a value is none", function()
  equal({ query = 'std::sort http://host foo:bar -kind:class "a b"' }, query.parse('std::sort http://host foo:bar -kind:class "a b"'))
  equal({ query = "x" }, query.parse('lang: x path: mode: path:"'))
end)

test("wrong options keep their default and are named", function()
  local complaints = options.set({ limit = 0, pickers = "float", debounce_ms = 5 })
  equal({ "limit must be a whole number from 1 to 200", "there is no option pickers; see :help connote-options" }, complaints)
  equal({ 20, 5 }, { options.get().limit, options.get().debounce_ms })
end)

test("the help is found by its tags, and no tag is there twice", function()
  local plugin = vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)))
  local doc = vim.fs.joinpath(vim.env.CONNOTE_TEST_HOME, "doc")
  vim.fn.mkdir(doc)
  assert(vim.uv.fs_copyfile(vim.fs.joinpath(plugin, "doc", "connote.txt"), vim.fs.joinpath(doc, "connote.txt")))
  vim.cmd.helptags(doc)
  local tags = vim.tbl_map(function(line)
    return line:match("^[^\t]+")
  end, vim.fn.readfile(vim.fs.joinpath(doc, "tags")))
  for _, tag in ipairs({ ":Connote", ":ConnoteSimilar", "<Plug>(connote-search)", "connote-options", "connote-settings", "connote.query()" }) do
    assert(vim.list_contains(tags, tag), tag)
  end
  for _, tag in ipairs(tags) do
    assert(tag:lower():find("connote", 1, true), tag .. " is no tag of ours")
  end
end)
