"""Replays the events of a (synthetic) game and counts them by player."""
from collections import Counter
from dataclasses import dataclass


@dataclass
class Event:
    time: int
    player: int
    kind: str
    target: int


def read_events(count):
    events = []
    for number in range(count):
        kind = ("move", "hit", "miss")[number % 3]
        events.append(Event(number, 1000 + number % 5, kind, 1005 + number % 3))
    return events


def by_player(events):
    counts = Counter()
    for event in events:
        counts[event.player] += event.kind == "hit"
    return counts


def replay_buffer(events):
    """A byte for each event, for the log of the replay."""
    return bytearray(event.player % 256 for event in events)


def main():
    events = read_events(300_000)
    print(by_player(events).most_common(2), len(replay_buffer(events)))


if __name__ == "__main__":
    main()
