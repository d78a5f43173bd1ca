"""Groups (synthetic) visitors by their interests; the order of visits is random in each run."""
import random


def make_visitors(count):
    visitors = [f"visitor-{number:06}@example.org" for number in range(count)]
    random.shuffle(visitors)
    return visitors


def interests_of(visitor):
    number = int(visitor[8:14])
    return [number % 7, 7 + number % 5, 12 + number % 11]


def group(visitors):
    groups = {}
    for visitor in visitors:
        for interest in interests_of(visitor):
            groups.setdefault(interest, set()).add(visitor)
    return groups


def overlaps(groups):
    """How many visitors share two interests?"""
    shared = {}
    names = list(groups)
    for i, a in enumerate(names):
        for b in names[i + 1:i + 4]:
            shared[a, b] = len(groups[a] & groups[b])
    return shared


def make_profiles(visitors):
    profiles = {}
    for visitor in visitors:
        profile = bytearray(200)
        for interest in interests_of(visitor):
            profile[interest] = 1
        profiles[visitor] = profile
    return profiles


def sample(profiles, count):
    chosen = random.sample(sorted(profiles), count)
    return sum(sum(profiles[visitor]) for visitor in chosen)


def main():
    visitors = make_visitors(60_000)
    groups = group(visitors)
    shared = overlaps(groups)
    profiles = make_profiles(visitors)
    print(len(groups), "groups", len(shared), "pairs", sample(profiles, 1000))


if __name__ == "__main__":
    main()
