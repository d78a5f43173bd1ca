"""Books the (synthetic) payments of a month and balances the accounts."""
from array import array


def read_payments(count):
    """Payer, payee and cents of each payment."""
    payments = array("l")
    for number in range(count):
        payments.extend((number % 997, number * 7 % 991, 100 + number % 5000))
    return payments


def balance(payments, accounts):
    balances = array("q", bytes(8 * accounts))
    for at in range(0, len(payments), 3):
        balances[payments[at]] -= payments[at + 2]
        balances[payments[at + 1]] += payments[at + 2]
    return balances


def statements(balances):
    width = 2000
    return [f"account {number}: {cents / 100:.2f}".ljust(width) for number, cents in enumerate(balances)]


def main():
    payments = read_payments(60_000)
    balances = balance(payments, 1000)
    lines = statements(balances)
    print(len(lines), "accounts,", lines[3].strip())


if __name__ == "__main__":
    main()
