// Plays histories, and writes a line of JSON for each before the next one begins: simulate.py reads them.
//
//     weft_simulation FIRST COUNT [--tell] [--skip N[,N...]]
//     weft_simulation --scale 1 [NUMBER OF DATABASES...]      measures instead
#include "tests/simulation/history.hpp"
#include "tests/simulation/scale.hpp"
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {
std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        std::cerr << "weft_simulation: no number: " << text << '\n';
        std::exit(2);
    }
    return value;
}
std::set<std::uint64_t> numbers(std::string_view text) {
    std::set<std::uint64_t> all;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        all.insert(number(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}
}
int main(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    if (!words.empty() && words[0] == "--scale") {
        std::vector<std::size_t> sizes;
        for (std::size_t i = 1; i < words.size(); ++i) sizes.push_back(number(words[i]));
        return simulation::measure_scale(sizes) ? 0 : 1;
    }
    if (words.size() < 2) {
        std::cerr << "usage: weft_simulation FIRST COUNT [--tell] [--skip N[,N...]]\n";
        return 2;
    }
    bool tells = false;
    std::set<std::uint64_t> skips;
    for (std::size_t i = 2; i < words.size(); ++i)
        if (words[i] == "--tell") tells = true;
        else if (words[i] == "--skip" && i + 1 < words.size()) skips = numbers(words[++i]);
        else return std::cerr << "weft_simulation: unknown: " << words[i] << '\n', 2;
    for (std::uint64_t seed = number(words[0]), end = seed + number(words[1]); seed < end; ++seed) {
        std::cout << nlohmann::json{{"seed", seed}} << std::endl;
        const auto verdict = simulation::play(seed, skips);
        const auto& c = verdict.counts;
        nlohmann::json line{{"faults", verdict.faults}, {"trace", verdict.trace},    {"events", c.events},
                            {"runs", c.runs},           {"steps", c.steps},          {"effects", c.effects},
                            {"crashes", c.crashes},     {"pauses", c.pauses},        {"cuts", c.cuts},
                            {"leaves", c.leaves},       {"takeovers", c.takeovers},  {"compared", c.compared},
                            {"firings", c.firings},     {"limited", c.limited},      {"told", c.told},
                            {"states", verdict.states}, {"outside", verdict.outside}};
        if (tells) line["journal"] = verdict.journal;
        std::cout << line << std::endl;
    }
}
