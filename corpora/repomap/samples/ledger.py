#!/usr/bin/env python3
# Licence: none.
"""Books of account.

More about them.
"""
from __future__ import annotations

import os.path
from decimal import Decimal as D, ROUND_UP
from .store import Store

MAX_ROWS = 10_000
_CACHE: dict[str, "Ledger"] = {}
logger = get_logger(__name__)


class LedgerError(ValueError):
    """A book that doesn't balance."""


class Ledger(Store, metaclass=Meta):
    '''Rows in the order of time.'''

    PAGE = 50

    def __init__(self, path: str, *, rows: list[Row] | None = None) -> None:
        self.path = path
        self._rows = rows or []

    @property
    def total(self) -> D:
        r"""The sum of all rows."""
        return sum_rows(self._rows)

    @staticmethod
    async def load(
        path: str,  # where it lies
        retries: int = 3,
    ) -> "Ledger":
        def attempt():
            LIMIT = 3
            return Ledger(path)

        try:
            return attempt()
        except LedgerError:
            raise

    def _private(self): return self.total


# Adds them up.
def sum_rows(rows: Iterable[Row]) -> D:
    return D(sum(row.amount for row in rows))


@decorators.cached(ttl=3)
@plain
def rate(currency: str) -> D: ...


type Pair = tuple[str, D]

if __name__ == "__main__":
    print(Ledger("x").total)
