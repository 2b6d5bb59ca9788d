#lang racket/base
;; Shapes and their sizes.

(require racket/list
         (only-in racket/string string-join))

(provide area (struct-out circle))

(define pi-ish 3.14)

(define title "Größen 🎉")

;; A circle has a radius.
(struct circle (radius) #:transparent)

(struct square shape (side))

(define-struct old (x y))

;; The area of any shape.
(define (area shape)
  (define (helper r) (* pi-ish r r))
  (match shape
    [(circle r) (helper r)]
    [(square _ s) (* s s)]))

(define double (λ (x) (* 2 x)))

(define ((adder n) x) (+ n x))

(define-syntax-rule (swap! a b)
  (let ([tmp a])
    (set! a b)
    (set! b tmp)))

(define-syntax (my-if stx)
  (syntax-case stx ()
    [(_ c t e) #'(cond [c t] [else e])]))

(define/contract (half x)
  (-> number? number?)
  (/ x 2))

(define-values (a b) (values 1 2))

(define counter%
  (class object%
    (super-new)
    (define/public (next) 1)))

(module+ test
  (require rackunit)
  (test-case "areas"
    (check-equal? (area (circle 0)) 0)))
