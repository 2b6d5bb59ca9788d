"""The host: one process that owns all indexes of a root, and how faces find it, start it and end it."""
