-- The commands and the <Plug> mappings; nothing is loaded or started before one of them is used.
if vim.g.loaded_connote then
  return
end
vim.g.loaded_connote = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.api.nvim_echo({ { "connote needs Neovim 0.11 or newer.", "WarningMsg" } }, true, {})
  return
end

local command = vim.api.nvim_create_user_command

command("Connote", function(args)
  require("connote").pick(args.args, { quickfix = args.bang })
end, { nargs = "*", bang = true, desc = "Search code by meaning; with ! into the quickfix list" })

command("ConnoteSymbols", function(args)
  require("connote").symbols(args.args, { quickfix = args.bang })
end, { nargs = "*", bang = true, desc = "Search definitions by meaning; with ! into the quickfix list" })

command("ConnoteSimilar", function(args)
  local lines = args.range > 0 and { args.line1, args.line2 } or nil
  require("connote").similar({ quickfix = args.bang, lines = lines })
end, { range = true, bang = true, desc = "Code alike to that at the cursor; with ! into the quickfix list" })

command("ConnoteResume", function()
  require("connote").resume()
end, { desc = "Open the last search again" })

command("ConnoteStatus", function()
  require("connote").status()
end, { desc = "Show the state of the index" })

command("ConnoteReindex", function(args)
  require("connote").reindex({ rebuild = args.bang })
end, { bang = true, desc = "Bring the index up to date; with ! build it afresh" })

local group = vim.api.nvim_create_augroup("connote", {})

-- Servers start with a file's type, which some files do not have.
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  group = group,
  callback = vim.schedule_wrap(function(event)
    if vim.api.nvim_buf_is_valid(event.buf) and vim.bo[event.buf].filetype == "" and vim.lsp.is_enabled("connote") then
      require("connote.server").attach(event.buf)
    end
  end),
})

-- Neovim's core tells servers nothing of these. Without a running server there is nobody to tell.
vim.api.nvim_create_autocmd({ "BufWritePost", "FileChangedShellPost", "User" }, {
  group = group,
  callback = function(event)
    if #vim.lsp.get_clients({ name = "connote" }) > 0 then
      require("connote.files").happened(event)
    end
  end,
})

local function plug(mode, name, run, desc)
  vim.keymap.set(mode, "<Plug>(connote-" .. name .. ")", run, { desc = desc })
end

plug("n", "search", "<Cmd>Connote<CR>", "Search code by meaning")
plug("n", "symbols", "<Cmd>ConnoteSymbols<CR>", "Search definitions by meaning")
plug("n", "similar", "<Cmd>ConnoteSimilar<CR>", "Code alike to that at the cursor")
plug("x", "similar", ":ConnoteSimilar<CR>", "Code alike to the selection")
plug("n", "resume", "<Cmd>ConnoteResume<CR>", "Open the last search again")
