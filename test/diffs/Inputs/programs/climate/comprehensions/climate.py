"""Computes the climate of a grid from daily temperatures."""
import numpy as np

YEARS = 12
ROWS, COLUMNS = 90, 180
DAYS = 30


def load_year(year):
    """The temperatures of a year: days x rows x columns."""
    rng = np.random.default_rng(year)
    latitude = np.linspace(-1, 1, ROWS, dtype=np.float32)[:, None]
    base = (30 - 50 * latitude ** 2).astype(np.float32)
    season = np.sin(np.arange(DAYS, dtype=np.float32) / DAYS * 6.28)[:, None, None]
    noise = rng.random((DAYS, ROWS, COLUMNS), dtype=np.float32)
    return (base[None] + 8 * season + noise).astype(np.float32)


def monthly_means(values):
    means = np.empty((10, ROWS, COLUMNS), dtype=np.float32)
    for month in range(10):
        means[month] = values[month * 3:month * 3 + 3].mean(axis=0)
    return means


def load_all():
    return [monthly_means(load_year(year)) for year in range(YEARS)]


def anomalies(climates):
    """The difference of each year from the mean of all years."""
    mean = np.mean(climates, axis=0, dtype=np.float64)
    return [climate - mean for climate in climates]


def extremes(differences):
    hottest = []
    for year, difference in enumerate(differences):
        at = np.unravel_index(np.argmax(difference), difference.shape)
        hottest.append((float(difference[at]), year, tuple(int(i) for i in at)))
    return sorted(hottest, reverse=True)[:3]


def main():
    climates = load_all()
    differences = anomalies(climates)
    for value, year, at in extremes(differences):
        print(f"{value:.2f} in year {year} at {at}")


if __name__ == "__main__":
    main()
