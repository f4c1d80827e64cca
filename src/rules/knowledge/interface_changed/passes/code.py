def total(rows, currency="EUR"):
    return 0 + sum(rows)

def mean(rows):
    return total(rows) / len(rows)
