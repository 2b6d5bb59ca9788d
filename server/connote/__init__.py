"""connote searches code by meaning."""

__version__ = "0.1.0"
