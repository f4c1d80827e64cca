"""Stock of a warehouse, kept in memory and written to a ledger."""

import json
from collections import defaultdict
from dataclasses import dataclass, field

LIMIT = 10_000


class StockError(Exception):
    """Why a movement isn't booked."""


@dataclass
class Item:
    sku: str
    name: str
    price: int = 0
    tags: list = field(default_factory=list)

    def label(self):
        return f"{self.sku} {self.name}"

    @property
    def is_free(self):
        return self.price == 0

    @classmethod
    def parse(cls, line):
        sku, name, price = line.split(";")
        return cls(sku, name, int(price))


class Warehouse:
    """Counts what it holds."""

    def __init__(self, ledger=None):
        self._stock = defaultdict(int)
        self._ledger = ledger

    def __len__(self):
        return sum(self._stock.values())

    def receive(self, item, count=1):
        if count < 1:
            raise StockError("nothing came")
        self._stock[item.sku] += count
        self._write("receive", item, count)

    def ship(self, item, count=1):
        if self._stock[item.sku] < count:
            raise StockError(f"only {self._stock[item.sku]} left")
        self._stock[item.sku] -= count
        self._write("ship", item, count)

    def _write(self, kind, item, count):
        if self._ledger is not None:
            self._ledger.append({"kind": kind, "sku": item.sku, "count": count})

    @staticmethod
    def empty():
        return Warehouse()

    async def refresh(self, source):
        async for line in source:
            self.receive(Item.parse(line))


class AuditedWarehouse(Warehouse):
    def ship(self, item, count=1):
        audit(item)
        super().ship(item, count)


def audit(item):
    if item.price > LIMIT:
        raise StockError("ask first")


def load(path):
    with open(path, encoding="utf-8") as file:
        return [Item.parse(line) for line in file if line.strip()]


async def load_all(paths):
    return [load(path) for path in paths]


def dump(warehouse, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(warehouse._stock, file)


def main():
    warehouse = Warehouse(ledger=[])
    for item in load("items.csv"):
        warehouse.receive(item)
    dump(warehouse, "stock.json")


if __name__ == "__main__":
    main()
