// One metric: its number for each combination of label values, and its text in Prometheus's exposition format, version
// 0.0.4.
//
//     Series runs({"weft_runs_total", "Runs that have ended.", Series::Kind::counter, {"workflow", "outcome"}});
//     const std::string_view values[] = {"react", "stopped"};
//     runs.add(values, 1);
//     runs.write(text);
//
// A metric has at most 1000 combinations: further ones count under the value "other" of each label, because values may
// come from outside, such as a tool's name that a model has invented. Known combinations are found without allocation.
// Not thread-safe.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::telemetry {
class Series {
public:
    enum class Kind { counter, gauge, histogram };
    struct Description {
        std::string name, help;
        Kind kind = Kind::counter;
        std::vector<std::string> labels = {};
        std::vector<double> buckets = {};  // a histogram's upper bounds, rising
    };
    using LabelSpan = std::span<const std::string_view>;  // label values in order
    static constexpr std::size_t most = 1000, longest_value = 128;

    /// Throws Error{usage} for an invalid name, label or list of buckets.
    explicit Series(Description);
    void add(LabelSpan, double by);
    void set(LabelSpan, double to);
    void observe(LabelSpan, double value);
    void write(std::string& to) const;
    const std::string& name() const { return is_.name; }
    std::size_t size() const { return all_.size(); }

private:
    struct Sample {
        std::vector<std::string> values;
        double value = 0;                   // a histogram's sum
        std::vector<std::uint64_t> counts;  // a histogram's numbers by bucket; the last is above all bounds
    };
    Sample& find(LabelSpan);
    Sample* find(std::uint64_t hash, LabelSpan);
    void write_labels(std::string& to, const Sample&, std::string_view le = {}) const;
    Description is_;
    std::vector<Sample> all_;  // in the order of their arrival
    std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
};
/// Writes a number in Prometheus's form: 0.5, 3, +Inf.
void write_number(std::string& to, double);
}
