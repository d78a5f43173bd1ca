// track: reads the points of a hike, smooths them and draws a profile
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Point {
    double position;
    float height;
    uint32_t flags;
};

class Source {
public:
    explicit Source(size_t count) : left_(count) {}

    bool next(Point &point) {
        if (left_ == 0)
            return false;
        --left_;
        state_ = state_ * 1664525 + 1013904223;
        position_ += 1 + double(state_ >> 24) / 256;
        point = {position_, float(800 + 300 * std::sin(position_ / 5000)), state_ & 3};
        return true;
    }
    size_t left() const { return left_; }

private:
    size_t left_;
    double position_ = 0;
    uint32_t state_ = 41;
};

static std::vector<Point> readPoints(Source &source) {
    std::vector<Point> points;
    Point point;
    while (source.next(point))
        points.push_back(point);
    return points;
}

static std::vector<double> smoothHeights(const std::vector<Point> &points) {
    std::vector<double> heights(points.size());
    double level = points[0].height;
    for (size_t i = 0; i < points.size(); ++i) {
        level += (points[i].height - level) * (points[i].flags == 3 ? 0.1 : 0.3);
        heights[i] = level;
    }
    return heights;
}

static std::vector<double> slopes(const std::vector<Point> &points, const std::vector<double> &heights) {
    std::vector<double> result(points.size());
    for (size_t i = 1; i < points.size(); ++i)
        result[i] = (heights[i] - heights[i - 1]) / (points[i].position - points[i - 1].position);
    return result;
}

static std::string drawProfile(const std::vector<double> &heights, size_t width) {
    std::string profile;
    for (size_t i = 0; i < width; ++i)
        profile += "_.-~^"[size_t(heights[i * heights.size() / width] - 400) / 200 % 5];
    return profile;
}

static void report(size_t count) {
    Source source(count);
    std::vector<Point> points = readPoints(source);
    std::vector<double> heights = smoothHeights(points);
    std::vector<double> steepness = slopes(points, heights);
    std::string profile = drawProfile(heights, 60);
    printf("%s %.3f\n", profile.c_str(), steepness[count / 2]);
}

int main() {
    report(540000);
}
