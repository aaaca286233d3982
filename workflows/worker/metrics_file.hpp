// Metrics in a file, for a node exporter's text collector. Readers see the old text or the new one, never a part.
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
    /// Throws Error{usage} for a missing folder, or a file that is not regular.
    explicit MetricsFile(std::string name, std::chrono::milliseconds every = std::chrono::seconds(5));
    bool is_due() const { return std::chrono::steady_clock::now() >= next_; }
    /// Writes NAME.tmp and renames it to NAME. Throws Error{configuration} if that is not possible.
    void write(std::string_view text);

private:
    const std::string name_;
    const std::chrono::milliseconds every_;
    std::chrono::steady_clock::time_point next_{};
};
}
