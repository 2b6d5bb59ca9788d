;; Tools for a garden.
(local lume (require :lume))
(local {: push} (require :list))

(local limit 10)
(var count 0)
(global greeting "Grüße 🎉")

;; Plants something, "Gemüse".
;; It grows.
(fn plant [name depth]
  "Plant NAME at DEPTH."
  (local inner (fn [x] (+ x 1)))
  (set count (+ count 1))
  (inner depth))

(fn garden.water [self litres]
  (print litres))

(lambda strict [x ?y]
  (+ x (or ?y 1)))

(λ short [x] x)

(local double #(* $1 2))

(local triple (fn [x] (* x 3)))

(macro unless [test ...]
  `(if (not ,test) (do ,...)))

(macros {:twice (fn [x] `(do ,x ,x))})

(fn outer []
  (fn nested [y]
    (* y 2))
  (nested 3))

(let [m {}]
  (fn m.method [a] a)
  m)

(each [_ p (ipairs [1 2])]
  (plant p 3))

{: plant : strict}
