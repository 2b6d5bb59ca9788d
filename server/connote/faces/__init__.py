"""The faces: each converts what its users say and renders what the engine answers."""
