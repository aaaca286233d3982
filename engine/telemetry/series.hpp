// One metric: what it counts for each combination of its labels' values, and its text in the exposition format of
// Prometheus, version 0.0.4.
//
//     Series runs({"weft_runs_total", "Runs that have ended.", Series::Kind::counter, {"workflow", "outcome"}});
//     const std::string_view values[] = {"react", "stopped"};
//     runs.add(values, 1);
//     runs.write(text);
//
// It has at most 1000 combinations: what would be one more is counted under the value "other" of each label, because
// values may come from outside, such as the name of a tool that a model has made up. A combination that is there is
// found without an allocation. Not thread-safe.
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
        std::vector<double> buckets = {};  // of a histogram: their upper ends, rising
    };
    using Values = std::span<const std::string_view>;  // of the labels, in their order
    static constexpr std::size_t most = 1000, longest_value = 128;

    /// Throws Error{usage} for a name, a label or buckets that are none.
    explicit Series(Description);
    void add(Values, double by);
    void set(Values, double to);
    void observe(Values, double value);
    void write(std::string& to) const;
    const std::string& name() const { return is_.name; }
    std::size_t size() const { return all_.size(); }

private:
    struct One {
        std::vector<std::string> values;
        double value = 0;                   // of a histogram: the sum
        std::vector<std::uint64_t> counts;  // of a histogram: by bucket, the last one beyond all
    };
    One& find(Values);
    One* find(std::uint64_t hash, Values);
    void write_labels(std::string& to, const One&, std::string_view le = {}) const;
    Description is_;
    std::vector<One> all_;  // in the order in which they came
    std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
};
/// As Prometheus reads them: 0.5, 3, +Inf.
void write_number(std::string& to, double);
}
