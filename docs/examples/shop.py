# A shop that answers orders. Each receipt stays in a list that nothing reads: the leak. --fixed drops it.
import random
import sys
import time

import memkit

ARTICLES = 400
ORDERS = 300


def load_catalogue():
    return {number: random.randbytes(64 << 10) for number in range(ARTICLES)}


class Report:
    """Collects what was ordered, and becomes one page."""

    def __init__(self):
        self.parts = []

    def add(self, basket):
        self.parts.extend(picture.hex() for picture in basket)

    def page(self):
        return "".join(self.parts)


class Shop:
    def __init__(self):
        self.catalogue = load_catalogue()
        self.log = []

    def basket(self, order):
        return [self.catalogue[(order * 7 + place) % ARTICLES] for place in range(8)]

    def answer(self, basket):
        page = b"".join(basket)
        receipt = page[: len(page) // 4]
        if "--fixed" not in sys.argv:
            self.log.append(receipt)
        return page


def main():
    shop = Shop()
    report = Report()
    for order in range(ORDERS):
        memkit.step()
        basket = shop.basket(order)
        shop.answer(basket)
        if 120 <= order < 160:
            report.add(basket)
        elif order == 160:
            print("report of", len(report.page()), "characters")
            report = Report()
        time.sleep(0.01)
    print("answered", ORDERS, "orders")


main()
