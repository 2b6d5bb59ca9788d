# Reading temperatures of weather stations.
library(stats)
require("utils")
source("helpers.R")

MAX_DAYS <- 31L
stations <- c("Zürich", "Genève")

#' Mean of a series without gaps.
#'
#' @param values Numbers, NA where nothing was measured.
#' @export
mean_without_gaps <- function(values, na.rm = TRUE) {
  total <- 0
  add <- function(x) {
    total <<- total + x
  }
  lapply(values, add)
  total / length(values)
}

# Celsius to Fahrenheit.
to_fahrenheit = function(c) c * 9 / 5 + 32

`%+%` <- function(a, b) paste0(a, b)

shorten <- \(x) substr(x, 1, 3)

function(x) x -> unnamed_on_the_right

print.station <- function(x, ...) {
  cat("Station: ", x$name, "\n")
}

größe <- function(
  x,
  y = list(a = 1)
) {
  nchar(paste0("é", x, y))
}

setClass("Sensor", representation(name = "character", level = "numeric"))

setGeneric("describe", function(object, ...) standardGeneric("describe"))

# How a sensor is shown.
setMethod("describe", "Sensor", function(object, ...) {
  paste("sensor", object@name)
})

Account <- R6::R6Class("Account",
  public = list(
    balance = 0,
    # Adds money.
    deposit = function(amount) {
      self$balance <- self$balance + amount
      invisible(self)
    }
  )
)

env$handler <- function(event) event

if (interactive()) {
  run <- function() mean_without_gaps(1:10)
}
