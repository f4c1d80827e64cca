count <- 0
pure <- function(x) x
step <- function() count <<- count + 1
load_it <- function(p) readLines(p)
start <- function() system("a")
dial <- function(u) httr::GET(u)
later <- function(x) mclapply(x, pure)
