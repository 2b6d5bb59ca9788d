;;; garden.el --- Plants in a buffer -*- lexical-binding: t; -*-

;;; Commentary:
;; Nothing to say, "Gärten".

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defgroup garden nil
  "Plants."
  :group 'applications)

(defcustom garden-limit 10
  "How many plants fit."
  :type 'integer)

(defvar garden-plants nil
  "All plants.")

(defvar-local garden--cache nil)

(defconst garden-version "1.0 🎉")

(defface garden-face '((t :weight bold))
  "How a plant looks.")

;; Planting.
;;;###autoload
(defun garden-plant (name &optional depth)
  "Plant NAME at DEPTH.
It is put into `garden-plants'."
  (interactive "sName: ")
  (let ((d (or depth 3)))
    (push (cons name d) garden-plants)))

(defsubst garden--double (x) (* 2 x))

(defmacro garden-with (plant &rest body)
  "Bind PLANT around BODY."
  (declare (indent 1))
  `(let ((it ,plant)) ,@body))

(cl-defun garden-water (&key (litres 1))
  "Water it."
  (message "größe %s" litres))

(cl-defstruct garden-bed name size)

(cl-defmethod garden-area ((bed garden-bed))
  (garden-bed-size bed))

(define-minor-mode garden-mode
  "A mode for plants."
  :lighter " G")

(defalias 'garden-sow #'garden-plant)

(ert-deftest garden-test ()
  (should (garden-plant "rose")))

(provide 'garden)
;;; garden.el ends here
