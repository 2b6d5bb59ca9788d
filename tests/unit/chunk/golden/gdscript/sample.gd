## A player in a game.
##
## It can jump, "Hüpfer".
class_name Player
extends CharacterBody2D

signal died
signal hurt(amount: int, by: Node)

## Where it looks.
enum Direction { LEFT, RIGHT = 5 }

enum { UNNAMED_A, UNNAMED_B }

const SPEED = 300.0
const Bullet = preload("res://bullet.gd")

## How healthy it is.
@export var health: int = 100
@export_range(0, 10) var armour := 3
@onready var sprite: Sprite2D = $Sprite
static var count = 0
var weight = 1.5  # größer
var level: int:
	get:
		return level
	set(value):
		level = value

func _init(name := "é"):
	pass

# Called each frame.
func _process(delta: float) -> void:
	var local = delta * SPEED
	if Input.is_action_pressed("jump"):
		jump(local)
	var callback = func(x): return x * 2
	callback.call(1)

## Jumps as high as `height`. 🎉
func jump(height: float, twice := false) -> bool:
	velocity.y = -height
	return twice

static func make(kind: String) -> Player:
	return Player.new()

@rpc("any_peer")
func remote_jump():
	jump(1)

## What it carries.
class Inventory extends RefCounted:
	const LIMIT = 8
	var items: Array = []

	func add(item) -> void:
		items.append(item)

	class Slot:
		var index = 0
