// Metrics in a file, for a node exporter's text collector or whoever reads it: the whole text is replaced at once.
//
//     MetricsFile file("weft.prom", 5s);
//     if (file.is_due()) file.write(metrics.text());       // throws Error{configuration}
#pragma once
#include <chrono>
#include <string>
#include <string_view>

namespace weft::worker {
class MetricsFile {
public:
    explicit MetricsFile(std::string name, std::chrono::milliseconds every = std::chrono::seconds(5));
    bool is_due() const { return std::chrono::steady_clock::now() >= next_; }
    /// Beside the file, and then in its place.
    void write(std::string_view text);

private:
    const std::string name_;
    const std::chrono::milliseconds every_;
    std::chrono::steady_clock::time_point next_{};
};
}
