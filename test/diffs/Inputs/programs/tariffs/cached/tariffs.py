"""Prices (synthetic) journeys by their zones."""
from functools import lru_cache


@lru_cache(maxsize=None)
def zone_map(low, high):
    return bytearray(low) + bytearray(b"\1") * (high - low + 1) + bytearray(8191 - high)


def price(*, start, end):
    return 150 + 25 * sum(zone_map(min(start, end), max(start, end)))


def journeys(count):
    return ((number * 37 % 60, number * 91 % 47) for number in range(count))


def read_tickets(count):
    tickets = bytearray()
    for journey in journeys(count):
        tickets += b"%4d %4d\n" % journey
    return tickets


def main():
    tickets = read_tickets(300_000)
    total = 0
    for line in bytes(tickets[:20_000]).splitlines():
        start, end = line.split()
        total += price(start=int(start), end=int(end))
    print(total)


if __name__ == "__main__":
    main()
