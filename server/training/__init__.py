"""How the embedded model is made: a tool for developers, not part of the wheel."""
