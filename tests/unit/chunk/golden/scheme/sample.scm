;; Numbers and trees.
(define-module (trees core)
  #:use-module (srfi srfi-1)
  #:export (tree-sum))

(import (scheme base))

(define limit 100)

(define greeting "Grüße 🌳")

;; Adds two numbers.
;; Both may be large.
(define (add a b)
  (+ a b))

(define (add-all . numbers)
  (define (inner acc rest)
    (if (null? rest) acc (inner (+ acc (car rest)) (cdr rest))))
  (inner 0 numbers))

(define square
  (lambda (x) (* x x)))

(define ((curried a) b) (+ a b))

(define-syntax unless2
  (syntax-rules ()
    ((_ test body ...) (if test #f (begin body ...)))))

(define-record-type <point>
  (make-point x y)
  point?
  (x point-x)
  (y point-y set-point-y!))

(define-values (quotient2 rest2) (floor/ 7 2))

(define* (greet #:optional (name "all"))
  (string-append "hallo, " name))

(define-public (visible x) x)

(define-macro (swap! a b)
  `(let ((tmp ,a)) (set! ,a ,b) (set! ,b tmp)))

(let loop ((i 0))
  (if (< i 10) (loop (+ i 1))))

#| A block comment
   about größe. |#
(define größe (string-length "ü"))
