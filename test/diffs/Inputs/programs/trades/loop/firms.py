"""Matches the trades of a (synthetic) exchange and reports the volume of each firm."""
import random
from collections import defaultdict


class Trade:
    __slots__ = ("firm", "price", "amount")

    def __init__(self, firm, price, amount):
        self.firm = firm
        self.price = price
        self.amount = amount


def make_trades(count, seed=8):
    rng = random.Random(seed)
    firms = [f"firm {i}" for i in range(200)]
    trades = []
    for i in range(count):
        trades.append(Trade(rng.choice(firms), 100 + rng.random(), 1 + i % 90))
    return trades


def volumes(trades):
    result = defaultdict(float)
    for trade in trades:
        result[trade.firm] += trade.price * trade.amount
    return dict(result)


def price_levels(trades, levels):
    """The amount that was traded at each level of the price."""
    amounts = [0] * levels
    for trade in trades:
        amounts[int((trade.price - 100) * levels)] += trade.amount
    return amounts


def largest_trades(trades, count):
    ordered = sorted(trades, key=lambda trade: trade.price * trade.amount, reverse=True)
    return [(trade.firm, trade.amount) for trade in ordered[:count]]


def running_total(trades):
    total = 0
    totals = []
    for trade in trades:
        total += trade.price * trade.amount
        totals.append((trade.firm, total))
    return totals


def main():
    trades = make_trades(150_000)
    totals = running_total(trades)
    firms = volumes(trades)
    amounts = price_levels(trades, 1000)
    best = largest_trades(trades, 3)
    print(len(totals), "totals", len(firms), "firms", max(amounts), best)


if __name__ == "__main__":
    main()
