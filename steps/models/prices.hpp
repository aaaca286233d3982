// What tokens cost, from a file that users keep: prices change, and some are agreed with one customer only.
//
//     auto prices = PriceTable::from_file("prices.json");
//     std::optional<double> cost = prices.cost("openai:gpt-4o-mini", reply.usage);
//
// The file is a JSON object: for each model the price of a million tokens, in whatever currency it is kept.
//
//     {"openai:gpt-4o-mini": {"prompt": 0.15, "completion": 0.60, "cached": 0.075},
//      "anthropic:claude-sonnet-4*": {"prompt": 3, "completion": 15, "cached": 0.30, "cache_write": 3.75},
//      "ollama:*": {"prompt": 0, "completion": 0}}
//
// A name may end in '*', for all models that begin so; the longest that fits counts. Tokens that a provider read from
// its cache cost `cached`, those that it wrote into it `cache_write`; where one of these is not given, they cost as
// much as others. Immutable, so any number of threads may ask.
#pragma once
#include "steps/models/chat_model.hpp"
#include <map>
#include <optional>
#include <string>

namespace weft::models {
struct Price {  // of a million tokens
    double prompt = 0, completion = 0;
    std::optional<double> cached, cache_write;
};
BOOST_DESCRIBE_STRUCT(Price, (), (prompt, completion, cached, cache_write))

class PriceTable {
public:
    PriceTable() = default;
    /// Both throw Error{configuration} that says what is wrong with the file and where.
    static PriceTable from_file(const std::string& path);
    static PriceTable from_json(std::string_view text, const std::string& origin);
    /// Of the model of that name, as a user writes it. None if it is not in the table.
    std::optional<double> cost(std::string_view model, const Usage&) const;

private:
    std::map<std::string, Price, std::less<>> prices_;
};
}
