--- What a user or another plugin calls: the settings, the searches, and the state of the index.
local M = {}

local options = require("connote.options")

---Sets options and starts the server for the files of projects, now and later.
---@param user table? see |connote-options|; unknown names are reported
function M.setup(user)
  for _, complaint in ipairs(options.set(user or {})) do
    vim.notify("connote: " .. complaint, vim.log.levels.WARN)
  end
  require("connote.server").enable()
end

---Shows what a search by meaning finds. A blank `query` opens the picker with nothing typed.
---@param query string? words, and filters such as `lang:go path:src/ kind:function`
---@param opts table? `quickfix`: into the quickfix list at once; `definitions`: only symbols
function M.pick(query, opts)
  opts = vim.tbl_extend("keep", opts or {}, { definitions = false, quickfix = false })
  query = vim.trim(query or "")
  local title = opts.definitions and "Connote symbols" or "Connote"
  if opts.quickfix and query == "" then
    vim.notify("connote: say what to search for, as in :Connote! where is the retry done", vim.log.levels.WARN)
    return
  end
  local source = require("connote.search").by_meaning(opts)
  require("connote.present").show({ title = title, query = query, source = source, live = true }, opts)
end

---Shows definitions, by meaning.
---@param query string?
---@param opts table? as for `pick`
function M.symbols(query, opts)
  M.pick(query, vim.tbl_extend("force", opts or {}, { definitions = true }))
end

---Shows code alike to that at the cursor, or in `opts.lines`.
---@param opts table? `quickfix` as for `pick`; `lines`: first and last line, from 1
function M.similar(opts)
  opts = opts or {}
  local source = require("connote.search").similar(vim.api.nvim_get_current_buf(), opts.lines)
  require("connote.present").show({ title = "Connote similar", query = "", source = source, live = false }, opts)
end

---Opens the last search again, with what was typed.
function M.resume()
  require("connote.present").resume()
end

---Searches by meaning and shows nothing; without `on_result` it is `pick`.
---@param query string
---@param opts table? `definitions`, and `limit`
---@param on_result fun(result: table)? gets `items`, best first, `complete` and `message`; the item's fields are in |connote-items|
---@return fun()? cancel after it, `on_result` is not called any more
function M.search(query, opts, on_result)
  if not on_result then
    M.pick(query, opts)
    return
  end
  return require("connote.search").by_meaning(opts or {})(query, on_result)
end

---Goes to an item of `search`, as the picker does.
---@param item table
---@param how string? `edit` (default), `split`, `vsplit` or `tab`
function M.jump(item, how)
  require("connote.jump").to(item, how)
end

---Shows the state of every index in use.
function M.status()
  require("connote.state").show()
end

---Brings the index of the current project up to date, and tells when it is done.
---@param opts table? `rebuild`: build it afresh
function M.reindex(opts)
  require("connote.state").reindex(opts and opts.rebuild or false)
end

---Tells the servers of files or folders that Neovim's core does not know to have changed.
---@param changes table `created` and `deleted`: lists of paths; `renamed`: a list of `{ from, to }`
function M.changed(changes)
  require("connote.files").tell(changes)
end

---A short text for a status line; empty while there is nothing to say.
---@return string
function M.statusline()
  return require("connote.state").short()
end

return M
