-- The server's configuration, for `vim.lsp.enable("connote")`; `vim.lsp.config("connote", {...})` changes it.
return require("connote.server").config()
