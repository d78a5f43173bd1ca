"""Prices (synthetic) journeys by their zones."""
from functools import lru_cache  # noqa: F401


def zones_between(start, end):
    low, high = sorted((start, end))
    zones = bytearray(8192)
    for zone in range(low, high + 1):
        zones[zone] = 1
    return zones


def price(start, end):
    zones = zones_between(start, end)
    return 150 + 25 * sum(zones)


def journeys(count):
    for number in range(count):
        yield number * 37 % 60, number * 91 % 47


def read_tickets(count):
    tickets = bytearray()
    for start, end in journeys(count):
        tickets += b"%4d %4d\n" % (start, end)
    return tickets


def main():
    tickets = read_tickets(300_000)
    total = 0
    for line in bytes(tickets[:20_000]).splitlines():
        start, end = line.split()
        total += price(int(start), int(end))
    print(total)


if __name__ == "__main__":
    main()
