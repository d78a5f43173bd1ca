"""Simulates deliveries: parcels, trucks and their routes."""
import random


class Parcel:
    __slots__ = ("number", "weight", "label")

    def __init__(self, number, weight):
        self.number = number
        self.weight = weight
        self.label = bytearray(600)


def make_parcels(count):
    rng = random.Random(12)
    return [Parcel(number, rng.randrange(1, 300)) for number in range(count)]


def write_labels(parcels):
    for parcel in parcels:
        text = f"parcel {parcel.number}, {parcel.weight / 10} kg".encode()
        parcel.label[:len(text)] = text


def load_trucks(parcels, limit):
    trucks = [[]]
    load = 0
    for parcel in parcels:
        if load + parcel.weight > limit:
            trucks.append([])
            load = 0
        trucks[-1].append(parcel)
        load += parcel.weight
    return trucks


def truck_weights(trucks):
    return [sum(parcel.weight for parcel in truck) for truck in trucks]


def route(truck, stops):
    """The stops of a truck, without repetitions."""
    seen = set()
    for parcel in truck:
        stop = parcel.number * 7919 % stops
        if stop not in seen:
            seen.add(stop)
            yield stop


def total_distance(trucks, stops):
    distance = 0
    for truck in trucks:
        way = list(route(truck, stops))
        for a, b in zip(way, way[1:]):
            distance += abs(a - b)
    return distance


def main():
    parcels = make_parcels(50_000)
    write_labels(parcels)
    trucks = load_trucks(parcels, 20_000)
    weights = truck_weights(trucks)
    print(len(trucks), "trucks", max(weights), "kg", total_distance(trucks, 5000))


if __name__ == "__main__":
    main()
