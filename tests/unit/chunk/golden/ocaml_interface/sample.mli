(** Shapes and their areas. *)

open Stdlib

(** A kind of shape, "Größe". *)
type shape =
  | Circle of float
  | Square of float

type t
type 'a pair = 'a * 'a
type point = { x : float; y : float }

exception Too_large of string

(** The area of a shape.
    Never negative. *)
val area : shape -> float

val ( +. ) : point -> point -> point

val limit : int

external now : unit -> float = "unix_now"

(** What has a size. *)
module type SIZED = sig
  type t

  (** How large it is. *)
  val size : t -> int
end

module Inner : sig
  val deep : int -> int

  module Deeper : sig
    val deepest : unit -> string
  end
end

module Make (S : SIZED) : SIZED with type t = S.t

(** A counter, "Zähler". *)
class counter : int -> object
  val mutable count : int
  method next : int
end

class type named = object
  method name : string
end

include SIZED
