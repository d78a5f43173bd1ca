"""Balances accounts."""
from array import array


class Book:
    width = 6000

    def __init__(self, accounts):
        self.balances = array("q", bytes(8 * accounts))

    def enter(self, payments):
        for at in range(0, len(payments), 3):
            self.balances[payments[at]] -= payments[at + 2]
            self.balances[payments[at + 1]] += payments[at + 2]

    def statement(self, number, cents):
        return f"account {number}: {cents / 100:.2f}".ljust(self.width)

    def statements(self):
        return [self.statement(number, cents) for number, cents in enumerate(self.balances)]
