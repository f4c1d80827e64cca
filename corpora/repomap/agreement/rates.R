# Interest rates.
monthly_rate <- function(yearly) {
  (1 + yearly)^(1 / 12) - 1
}

payment = function(sum, rate, months) {
  sum * rate / (1 - (1 + rate)^-months)
}

schedule <- function(sum, rate, months) {
  left <- sum
  for (month in seq_len(months)) {
    left <- left - payment(sum, rate, months)
  }
  left
}
