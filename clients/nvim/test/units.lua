-- What needs no editor: the filters, the options, the notes.
local options = require("connote.options")
local query = require("connote.query")

local clients = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))))
local shared = vim.json.decode(table.concat(vim.fn.readfile(vim.fs.joinpath(clients, "query-cases.json")), "\n"))

test("queries are read as by every client", function()
  assert(#shared.cases > 30, "there are queries to read")
  for _, case in ipairs(shared.cases) do
    equal(vim.tbl_extend("error", case.filters, { query = case.query }), query.parse(case.typed))
  end
end)

test("kinds and modes are those of the server", function()
  equal(shared.kinds, query.KINDS)
  for _, mode in ipairs(shared.modes) do
    equal(mode, query.parse("mode:" .. mode).mode)
  end
end)

test("a kind or a mode that is none goes to the server, which names those that are", function()
  equal({ query = "x", kinds = { "klass" }, mode = "fast" }, query.parse("x kind:klass mode:fast"))
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
  for _, tag in ipairs({ ":Connote", ":ConnoteSimilar", "<Plug>(connote-search)", "connote-options", "connote-settings", "connote.pick()", "connote.search()", ":ConnoteReindex" }) do
    assert(vim.list_contains(tags, tag), tag)
  end
  for _, tag in ipairs(tags) do
    assert(tag:lower():find("connote", 1, true), tag .. " is no tag of ours")
  end
end)
