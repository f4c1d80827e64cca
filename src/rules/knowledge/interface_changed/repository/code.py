def total(rows, currency="EUR"):
    return sum(rows)
