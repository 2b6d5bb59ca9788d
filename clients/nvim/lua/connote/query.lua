--- What is typed, taken apart: the words, and the filters among them.
--- The same as in the other clients: `clients/query-cases.json` is run by the tests of each.
local M = {}

M.KINDS = {
  "function", "method", "constructor", "class", "interface", "struct", "trait", "impl", "enum", "type",
  "module", "namespace", "constant", "variable", "property", "field", "macro", "test",
  "section", "key", "table", "view", "rule", "block",
}

local MODES = { "hybrid", "semantic", "lexical" }

---What people write for a kind; `function` and `method` are one thing to most who ask.
local ALIASES = {
  func = { "function", "method" },
  fn = { "function", "method" },
  def = { "function", "method" },
  ["function"] = { "function", "method" },
  const = { "constant" },
  var = { "variable" },
  ctor = { "constructor" },
  mod = { "module" },
  ns = { "namespace" },
  prop = { "property" },
}

---The parameters of `workspace/semanticSearch` for what was typed.
---A filter without a value is one that is still being typed, and filters nothing; a colon in any other word is that word's own.
---@param text string
---@return table params
function M.parse(text)
  local words = {}
  local params = { include = {}, exclude = {}, languages = {}, kinds = {} }
  for _, word in ipairs(M._words(text)) do
    local minus, name, value = word:match("^(%-?)(%a+):(.*)$")
    name = name and name:lower()
    local values = value and M._values(value) or {}
    if name == "path" or name == "in" then
      for _, path in ipairs(values) do
        vim.list_extend(minus == "" and params.include or params.exclude, M._globs(path))
      end
    elseif minus == "" and (name == "lang" or name == "language") then
      vim.list_extend(params.languages, vim.tbl_map(string.lower, values))
    elseif minus == "" and name == "kind" then
      for _, kind in ipairs(values) do
        vim.list_extend(params.kinds, M._kinds(kind:lower()))
      end
    elseif minus == "" and name == "mode" then
      for _, mode in ipairs(values) do
        params.mode = M._mode(mode:lower())
      end
    else
      table.insert(words, word)
    end
  end
  for _, key in ipairs({ "include", "exclude", "languages", "kinds" }) do
    if #params[key] == 0 then
      params[key] = nil -- an empty Lua table could go over the wire as an object
    end
  end
  params.query = table.concat(words, " ")
  return params
end

---Splits at spaces that are not in quotes.
function M._words(text)
  local words, word, quoted = {}, "", false
  for character in (text .. " "):gmatch(".") do
    if character == '"' then
      quoted = not quoted
    end
    if character:find("%s") and not quoted then
      if word ~= "" then
        table.insert(words, word)
      end
      word = ""
    else
      word = word .. character
    end
  end
  if vim.trim(word) ~= "" then
    table.insert(words, vim.trim(word)) -- its quotes are not closed yet
  end
  return words
end

---Splits a list at its commas, but not at those of a glob's braces.
function M._values(value)
  local values, one, depth = {}, "", 0
  local function take()
    if vim.trim(one) ~= "" then
      table.insert(values, vim.trim(one))
    end
    one = ""
  end
  for character in value:gsub('"', ""):gmatch(".") do
    depth = depth + (character == "{" and 1 or character == "}" and depth > 0 and -1 or 0)
    if character == "," and depth == 0 then
      take()
    else
      one = one .. character
    end
  end
  take()
  return values
end

---The kinds that a word means, in the singular or plural. The server names those that are unknown.
function M._kinds(word)
  for _, singular in ipairs({ word, (word:gsub("ies$", "y")), (word:gsub("es$", "")), (word:gsub("s$", "")) }) do
    if ALIASES[singular] or vim.list_contains(M.KINDS, singular) then
      return ALIASES[singular] or { singular }
    end
  end
  return { word }
end

---The mode that a word begins. The server names those that are unknown.
function M._mode(word)
  for _, mode in ipairs(MODES) do
    if vim.startswith(mode, word) then
      return mode
    end
  end
  return word
end

---The globs of a path as people write it: a glob stands for itself, a path for that file or folder and all in it.
---Without a slash inside, it may be anywhere.
function M._globs(path)
  local clean, stripped = path:gsub("\\", "/"), 0
  repeat
    clean, stripped = clean:gsub("^%.?/+", "")
  until stripped == 0
  if clean:find("[*?%[%]{}]") then
    return { clean }
  end
  local bare = clean:gsub("/+$", "")
  if bare == "" then
    return {}
  end
  local inside = { bare .. "/**" }
  if not bare:find("/", 1, true) then
    table.insert(inside, "**/" .. bare .. "/**")
  end
  -- With its slash at the end it can only be a folder.
  return clean:sub(-1) == "/" and inside or vim.list_extend({ bare }, inside)
end

return M
