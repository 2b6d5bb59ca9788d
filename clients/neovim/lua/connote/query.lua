--- What is typed, taken apart: the words, and the filters among them.
local M = {}

local function add(list, value)
  for _, one in ipairs(vim.split(value, ",", { plain = true, trimempty = true })) do
    table.insert(list, one)
  end
end

local function add_path(list, value)
  for _, one in ipairs(vim.split(value, ",", { plain = true, trimempty = true })) do
    if one:find("[*?%[{]") then
      table.insert(list, one)
    elseif one:sub(-1) == "/" then
      table.insert(list, one .. "**")
    else
      -- A file or a folder: what is typed does not tell which.
      vim.list_extend(list, { one, one .. "/**" })
    end
  end
end

---The parameters of `workspace/semanticSearch` for what was typed.
---Words such as `std::sort` or `http://host` are no filters; a filter without a value, as while typing it, is left out.
---@param text string
---@return table params
function M.parse(text)
  local words = {}
  local params = { include = {}, exclude = {}, languages = {}, kinds = {} }
  for word in text:gmatch("%S+") do
    local name, value = word:match("^(%-?%a+):(.*)$")
    if name == "lang" then
      add(params.languages, value)
    elseif name == "kind" then
      add(params.kinds, value)
    elseif name == "path" then
      add_path(params.include, value)
    elseif name == "-path" then
      add_path(params.exclude, value)
    else
      table.insert(words, word)
    end
  end
  for key, list in pairs(params) do
    if #list == 0 then
      params[key] = nil -- an empty Lua table could go over the wire as an object
    end
  end
  params.query = table.concat(words, " ")
  return params
end

return M
