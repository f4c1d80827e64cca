# A linear model.
library(stats)

limit <- 100

#' Fits a model.
#'
#' @param data A data frame.
fit_model <- function(data, formula = y ~ x) {
  if (nrow(data) > limit) {
    stop("too many rows")
  }
  model <- lm(formula, data = data)
  summarise_model(model)
}

# Returns the coefficients.
summarise_model = function(model) {
  stats::coef(model)
}

.helper <- function(x) x + 1

square <- \(x) x^2

setClass("Account", representation(owner = "character"))

setGeneric("balance", function(object) standardGeneric("balance"))

setMethod("balance", "Account", function(object) {
  object@total
})

Counter <- R6::R6Class("Counter",
  public = list(
    count = 0,
    add = function(n = 1) {
      self$count <- self$count + n
      invisible(self)
    }
  )
)

run <- function(path) {
  data <- read.csv(path)
  cluster <- parallel::makeCluster(2)
  fit_model(data)
  writeLines("done", "log.txt")
}
