(* Licence. *)
open Printf
open! Base

(** How many. *)
let limit = 100

let größe = "🎉"
let first, second = (1, 2)
let () = print_endline "run"

(** A name. *)
type name = string

(** A bucket
    that leaks. *)
type 'a bucket = {
  size : int;  (** How many fit. *)
  mutable items : 'a list;
}
[@@deriving show]

type level = Low | High of int * string
and color = Red | Green

exception Closed of string

type _ term = Int : int -> int term

(** Takes one. *)
let take ?(count = 1) ~map (bucket : 'a bucket) : 'a option =
  let helper x = x + 1 in
  let rec inner = function 0 -> 1 | n -> inner (n - 1) in
  match bucket.items with
  | [] -> None
  | x :: _ -> Some (map (inner (helper x)))

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let ( +: ) a b = a :: b
let lambda = fun x -> x + 1
let[@inline] fast x = x
external length : string -> int = "caml_length"

(** Keeps. *)
module type Store = sig
  type key

  val get : key -> string option
  (** Looks up. *)

  val limit : int
end

module Memory : Store with type key = string = struct
  type key = string

  let get key = Some key
  let limit = 3

  module Deep = struct
    let value = "é"
  end
end

module Make (S : Store) (T : Store) = struct
  let run key = S.get key
end

module Alias = Memory
include Memory

class type shape = object method area : float end

(** A counter. *)
class counter start = object (self)
  val mutable n = start
  method get = n
  method private incr by = n <- n + by
  initializer print_string "made"
end

let%test "takes one" = true
let%expect_test "stops" = printf "x"

let suite = "limits" >::: [ "takes" >:: fun _ -> assert_equal 1 1 ]
