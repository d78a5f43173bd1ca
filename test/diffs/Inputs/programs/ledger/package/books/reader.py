"""Reads payments."""
from array import array


class Reader:
    def __init__(self, count):
        self.count = count

    def payments(self):
        """Payer, payee and cents of each payment."""
        payments = array("l")
        for number in range(self.count):
            payments.extend((number % 997, number * 7 % 991, 100 + number % 5000))
        return payments
