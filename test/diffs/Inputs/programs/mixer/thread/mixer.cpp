// mixer: decodes two tracks, resamples them and mixes them into one
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

using Samples = std::vector<int16_t>;

struct Track {
    double pitch;
    double rate;
    std::vector<float> signal;
};

static Samples decode(double pitch, size_t count) {
    Samples samples(count);
    double phase = 0;
    for (auto &sample : samples) {
        phase += pitch / 44100;
        sample = int16_t(20000 * (phase - std::floor(phase)) - 10000);
    }
    return samples;
}

static std::vector<float> resample(const Samples &samples, double rate) {
    size_t count = size_t(double(samples.size() - 2) / rate);
    std::vector<float> signal(count);
    for (size_t i = 0; i < count; ++i) {
        double at = double(i) * rate;
        size_t left = size_t(at);
        double part = at - double(left);
        signal[i] = float(samples[left] * (1 - part) + samples[left + 1] * part) / 32768;
    }
    return signal;
}

static std::vector<double> envelope(const std::vector<float> &signal, size_t window) {
    std::vector<double> levels(signal.size() / window);
    for (size_t i = 0; i < levels.size(); ++i)
        for (size_t k = 0; k < window; ++k)
            levels[i] = std::fmax(levels[i], std::fabs(signal[i * window + k]));
    return levels;
}

static void prepare(Track &track, size_t count) {
    Samples samples = decode(track.pitch, count);
    track.signal = resample(samples, track.rate);
    Samples().swap(samples);
    auto levels = envelope(track.signal, 2);
    for (size_t i = 0; i < track.signal.size(); ++i)
        track.signal[i] *= float(0.5 + 0.5 * levels[std::min(i / 2, levels.size() - 1)]);
}

static std::vector<float> mix(Track a, const Track &b) {
    std::vector<float> mixed(std::min(a.signal.size(), b.signal.size()) / 8);
    for (size_t i = 0; i < mixed.size(); ++i)
        mixed[i] = (a.signal[8 * i] + b.signal[8 * i]) / 2;
    return mixed;
}

int main() {
    Track bass{55, 1.5, {}}, lead{440, 1.0, {}};
    for (Track *track : {&bass, &lead}) {
        std::thread worker([track] { prepare(*track, 1500000); });
        worker.join();
    }
    auto mixed = mix(bass, lead);
    printf("%zu samples, %.3f\n", mixed.size(), mixed[1000]);
}
