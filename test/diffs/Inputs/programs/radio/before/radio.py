"""Reads a synthetic recording of a radio and finds the stations in its spectrum."""
import numpy as np

RATE = 1_000_000
STATIONS = [(91_000, 1.0), (240_500, 0.4), (377_000, 0.7)]


def read_raw(seconds, rate):
    """The recording, as the device stores it."""
    count = int(seconds * rate)
    raw = np.zeros(count, dtype=np.int32)
    step = 50_000
    time = np.arange(step) / rate
    for start in range(0, count, step):
        block = sum(level * np.sin(6.2832 * frequency * (time + start / rate))
                    for frequency, level in STATIONS)
        raw[start:start + step] = block * 100_000
    return raw


def normalise(raw, peak):
    signal = raw.astype(np.float32)
    signal /= peak
    return signal


def spectrum(signal, size):
    """The mean power of pieces of the signal."""
    window = np.hanning(size).astype(np.float32)
    power = np.zeros(size // 2)
    pieces = len(signal) // size
    for piece in range(pieces):
        part = signal[piece * size:(piece + 1) * size] * window
        power += np.abs(np.fft.rfft(part))[:size // 2] ** 2
    return power / pieces


def smooth(signal, width):
    kernel = np.ones(width, dtype=np.float32) / width
    result = np.empty_like(signal)
    for start in range(0, len(signal), 100_000):
        result[start:start + 100_000] = np.convolve(signal[start:start + 100_000], kernel, "same")
    return result


def find_peaks(power, count, rate):
    found = []
    power = power.copy()
    for _ in range(count):
        at = int(np.argmax(power))
        found.append(at * rate // (2 * len(power)))
        power[max(0, at - 20):at + 20] = 0
    return sorted(found)


def survey(seconds):
    raw = read_raw(seconds, RATE)
    loudest = int(np.abs(raw[:100_000]).max())
    signal = normalise(raw, loudest)
    calm = smooth(signal, 3)
    power = spectrum(calm, 4096)
    return find_peaks(power, len(STATIONS), RATE), len(raw)


def main():
    stations, samples = survey(2.5)
    print(samples, "samples; stations near", stations)


if __name__ == "__main__":
    main()
