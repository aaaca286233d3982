// The longest matching name or NAME* counts. Tokens read from the cache or written into it cost as much as others if
// they have no price of their own.
#include "steps/models/prices.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/text/read_file.hpp"
#include "steps/models/name_pattern.hpp"
#include <algorithm>
#include <cmath>
#include <filesystem>

namespace weft::models {
namespace {
constexpr std::size_t largest_table = 1 << 20;
constexpr double million = 1e6;

[[noreturn]] void refuse_prices(const std::string& origin, const std::string& why) {
    throw Error(Code::configuration, "the prices in " + origin + " cannot be used: " + why);
}
bool is_price(double value) { return std::isfinite(value) && value >= 0; }
}

PriceTable PriceTable::from_json(std::string_view text, const std::string& origin) {
    PriceTable table;
    try {
        const auto object = parse_json(text);
        if (!object.is_object())
            refuse_prices(origin, R"(it must be an object: {"openai:gpt-4o-mini": {"prompt": ...}})");
        for (const auto& [model, price] : object.items()) {
            for (const auto& [name, value] : price.is_object() ? price.items() : object.items())
                if (price.is_object() && name != "prompt" && name != "completion" && name != "cached" &&
                    name != "cache_write")
                    refuse_prices(origin, "the name " + name + " of " + model + " is unknown");
            const auto read = weft::from_json<Price>(price, model);
            if (!is_price(read.prompt) || !is_price(read.completion) || !is_price(read.cached.value_or(0)) ||
                !is_price(read.cache_write.value_or(0)))
                refuse_prices(origin, "a price of " + model + " is negative");
            table.prices_.emplace(model, read);
        }
    } catch (const Error& error) {
        if (error.code() == Code::bad_json) refuse_prices(origin, error.what());
        throw;
    }
    return table;
}
PriceTable PriceTable::from_file(const std::string& path) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) refuse_prices(path, "there is no such file");
    const auto text = read_file(path, largest_table);
    if (!text) refuse_prices(path, "the file cannot be read");
    if (text->size() > largest_table) refuse_prices(path, "the file is larger than 1 MB");
    return from_json(*text, path);
}
std::optional<double> PriceTable::cost(std::string_view model, const Usage& usage) const {
    const Price* best = nullptr;
    std::size_t length = 0;
    for (const auto& [pattern, price] : prices_)
        if (matches(pattern, model) && (!best || pattern.size() > length)) best = &price, length = pattern.size();
    if (!best) return std::nullopt;
    const auto cached = std::min(usage.cached_tokens, usage.prompt_tokens);
    const auto written = std::min(usage.cache_written_tokens, usage.prompt_tokens - cached);
    return (static_cast<double>(usage.prompt_tokens - cached - written) * best->prompt +
            static_cast<double>(written) * best->cache_write.value_or(best->prompt) +
            static_cast<double>(cached) * best->cached.value_or(best->prompt) +
            static_cast<double>(usage.completion_tokens) * best->completion) /
           million;
}
}
