// A strict reader of Prometheus' text format 0.0.4, written from its description.
//
//     const auto samples = read_exposition(metrics.text());
//     CHECK(samples.at("weft_runs_total{workflow=hello,outcome=stopped}") == 1);
//
// The lines of a metric must follow its HELP and TYPE, no sample may be repeated, a counter's name must end in _total,
// and a histogram's buckets must grow up to +Inf, which is its count.
#pragma once
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace weft::telemetry {
class ExpositionReader {
public:
    std::map<std::string, double> read(const std::string& text) {
        REQUIRE_FALSE(text.empty());
        REQUIRE(text.back() == '\n');
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            INFO(line);
            REQUIRE(line.find('\r') == line.npos);
            if (line.starts_with("# ")) read_head(line);
            else read_sample(line);
        }
        close();
        return samples_;
    }

private:
    void read_head(const std::string& line) {
        std::istringstream words(line.substr(2));
        std::string what, name, rest;
        words >> what >> name;
        if (what == "HELP") {
            close();
            REQUIRE(metrics_.insert(name).second);
            name_ = name;
            return;
        }
        REQUIRE(what == "TYPE");
        REQUIRE(name == name_);
        REQUIRE(type_.empty());
        words >> type_;
        REQUIRE((type_ == "counter" || type_ == "gauge" || type_ == "histogram"));
        REQUIRE((type_ == "counter") == name.ends_with("_total"));
    }
    void read_sample(const std::string& line) {
        REQUIRE_FALSE(type_.empty());
        const auto end_of_name = line.find_first_of("{ ");
        REQUIRE(end_of_name != line.npos);
        const auto name = line.substr(0, end_of_name);
        std::string suffix = name.substr(std::min(name_.size(), name.size()));
        REQUIRE(name.starts_with(name_));
        const bool fits = type_ == "histogram" ? suffix == "_bucket" || suffix == "_sum" || suffix == "_count"
                                               : suffix.empty();
        REQUIRE(fits);
        std::size_t at = end_of_name;
        std::string labels, le;
        if (line[at] == '{') at = read_labels(line, at + 1, labels, le);
        REQUIRE(line.at(at) == ' ');
        const auto number = line.substr(at + 1);
        const double value = number == "+Inf" ? INFINITY : std::stod(number);
        REQUIRE(
            samples_.emplace(name + (labels.empty() ? "" : "{" + labels + "}") + (le.empty() ? "" : " <= " + le), value)
                .second);
        if (suffix == "_bucket") {
            auto& seen = buckets_[labels];
            const double bound = le == "+Inf" ? INFINITY : std::stod(le);
            if (!seen.empty()) {
                REQUIRE(bound > seen.back().first);
                REQUIRE(value >= seen.back().second);
            }
            seen.emplace_back(bound, value);
        }
        if (suffix == "_count") counts_[labels] = value;
        if (type_ == "counter") REQUIRE(value >= 0);
    }
    std::size_t read_labels(const std::string& line, std::size_t at, std::string& labels, std::string& le) {
        std::set<std::string> names;
        for (;;) {
            const auto equals = line.find("=\"", at);
            REQUIRE(equals != line.npos);
            const auto name = line.substr(at, equals - at);
            REQUIRE(names.insert(name).second);
            std::string value;
            for (at = equals + 2; line.at(at) != '"'; ++at) {
                if (line[at] != '\\') {
                    value += line[at];
                    continue;
                }
                const char c = line.at(++at);
                REQUIRE((c == 'n' || c == '\\' || c == '"'));
                value += c == 'n' ? '\n' : c;
            }
            if (name == "le") le = value;
            else labels += (labels.empty() ? "" : ",") + name + "=" + value;
            ++at;
            if (line.at(at) == '}') return at + 1;
            REQUIRE(line[at] == ',');
            ++at;
        }
    }
    void close() {
        for (const auto& [labels, buckets] : buckets_) {
            REQUIRE(std::isinf(buckets.back().first));
            REQUIRE(buckets.back().second == counts_.at(labels));
        }
        buckets_.clear();
        counts_.clear();
        type_.clear();
    }
    std::map<std::string, double> samples_;
    std::set<std::string> metrics_;
    std::string name_, type_;
    std::map<std::string, std::vector<std::pair<double, double>>> buckets_;
    std::map<std::string, double> counts_;
};
inline std::map<std::string, double> read_exposition(const std::string& text) { return ExpositionReader().read(text); }
}
