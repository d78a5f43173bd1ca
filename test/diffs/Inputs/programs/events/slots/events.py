"""Replays the events of a (synthetic) game and counts them by player."""
from collections import Counter
from dataclasses import dataclass

KINDS = ("move", "hit", "miss")


@dataclass
class Event:
    __slots__ = ("time", "player", "kind", "target")
    time: int
    player: int
    kind: str
    target: int

    @classmethod
    def numbered(cls, number):
        return cls(number, 1000 + number % 5, KINDS[number % 3], 1005 + number % 3)


def load_events(count):
    return [Event.numbered(number) for number in range(count)]


def by_player(events):
    return Counter(event.player for event in events if event.kind == "hit")


def replay_buffer(events):
    """A byte for each event, for the log of the replay."""
    return bytearray(event.player % 256 for event in events)


def main():
    events = load_events(300_000)
    print(by_player(events).most_common(2), len(replay_buffer(events)))


if __name__ == "__main__":
    main()
