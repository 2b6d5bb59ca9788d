"""What an agent reads until it has seen the right lines, with connote and with ripgrep: see PROCEDURE.md."""
