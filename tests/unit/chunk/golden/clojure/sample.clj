;; A shop in a file.
(ns shop.core
  "Sells things, \"Läden\"."
  (:require [clojure.string :as str]
            [shop.stock :refer [take-one]])
  (:import (java.util Date)))

(def limit 10)

(def ^:private greeting "How customers are greeted." "Grüß Gott 🎉")

(defonce state (atom {}))

(declare later)

;; Prices with tax.
(defn with-tax
  "Adds the tax to a price."
  [price rate]
  (let [factor (+ 1 rate)]
    (letfn [(inner [x] (* x factor))]
      (inner price))))

(defn- hidden [x] x)

(defn ^String greet
  ([] (greet "all"))
  ([name] (str greeting " " name)))

(defmacro unless
  "The contrary of when."
  [test & body]
  `(if ~test nil (do ~@body)))

(defprotocol Priced
  "What has a price."
  (price [this] "In francs.")
  (rename [this name]))

(defrecord Loaf [name grams]
  Priced
  (price [this] (* 2 grams))
  (rename [this n] (assoc this :name n)))

(deftype Box [^:mutable content])

(extend-type String
  Priced
  (price [this] 0))

(defmulti area :shape)

(defmethod area :circle [{:keys [r]}]
  (* 3 r r))

(deftest tax-test
  (is (= 11 (with-tax 10 0.1))))

#_(defn ignored [] nil)

(comment
  (defn scratch [] 1))
