-- What needs no editor: the filters, the options, the notes.
local options = require("connote.options")
local query = require("connote.query")

test("filters are taken out of the query", function()
  equal(
    { query = "where is the retry", languages = { "go", "python" }, kinds = { "function" }, include = { "src/**" } },
    query.parse("where is lang:go,python the path:src/ kind:function retry")
  )
end)

test("a path without a slash at its end is a file or a folder; a glob stays one; a minus excludes", function()
  equal({ query = "x", include = { "src", "src/**", "**/*.go" } }, query.parse("x path:src path:**/*.go"))
  equal({ query = "x", exclude = { "test/**" } }, query.parse("x -path:test/"))
end)

test("what only looks like a filter belongs to the query; one without a value is none", function()
  equal({ query = "std::sort http://host foo:bar" }, query.parse("std::sort http://host foo:bar"))
  equal({ query = "x" }, query.parse("lang: x path:"))
end)

test("wrong options keep their default and are named", function()
  local complaints = options.set({ limit = 0, pickers = "float", debounce_ms = 5 })
  equal({ "limit must be a whole number from 1 to 200", "there is no option pickers; see :help connote-options" }, complaints)
  equal({ 20, 5 }, { options.get().limit, options.get().debounce_ms })
end)
