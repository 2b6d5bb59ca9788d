;;;; A library of books.
(defpackage :library
  (:use :cl)
  (:export #:make-book))

(in-package :library)

(defvar *count* 0 "How many books there are.")
(defparameter *language* "Bücher")
(defconstant +limit+ 100)

;; A book has a title.
(defstruct (book (:constructor %make-book))
  title
  (pages 0 :type integer))

(defclass shelf ()
  ((books :initform nil :accessor shelf-books)
   (name :initarg :name))
  (:documentation "Where books stand."))

;; Adds one, "größer".
(defun add-book (shelf book &key (at 0))
  "Puts BOOK on SHELF."
  (incf *count*)
  (labels ((inner (x) (* x at)))
    (push (inner book) (shelf-books shelf))))

(defmacro with-shelf ((var name) &body body)
  "Binds VAR to a new shelf."
  `(let ((,var (make-instance 'shelf :name ,name)))
     ,@body))

(defgeneric describe-it (thing)
  (:documentation "Says what it is 📚."))

(defmethod describe-it ((thing shelf))
  (format t "A shelf~%"))

(defmethod describe-it :before ((thing book))
  "Before a book."
  (print thing))

(deftype small () '(integer 0 10))

(define-condition no-space (error)
  ((shelf :initarg :shelf)))

(defun (setf first-book) (value shelf)
  (setf (car (shelf-books shelf)) value))

(defun title-only () "text")

(deftest add-book-test ()
  (assert (= 1 *count*)))
