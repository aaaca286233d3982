// Reads the prices of tokens from a file that users maintain, because prices change, and some customers have their own.
//
//     auto prices = PriceTable::from_file("prices.json");
//     std::optional<double> cost = prices.cost("openai:gpt-4o-mini", reply.usage);
//
// The file is a JSON object: the price of a million tokens for each model, in any currency.
//
//     {"openai:gpt-4o-mini": {"prompt": 0.15, "completion": 0.60, "cached": 0.075},
//      "anthropic:claude-sonnet-4*": {"prompt": 3, "completion": 15, "cached": 0.30, "cache_write": 3.75},
//      "ollama:*": {"prompt": 0, "completion": 0}}
//
// A name may end in '*' and then matches all models with this prefix; the longest match counts. `cached` is the price
// of tokens that the provider read from its cache, `cache_write` that of tokens written into it; without these members
// such tokens cost as much as others. Immutable, so any number of threads may read it.
#pragma once
#include "steps/models/chat_model.hpp"
#include <map>
#include <optional>
#include <string>

namespace weft::models {
struct Price {  // per million tokens
    double prompt = 0, completion = 0;
    std::optional<double> cached, cache_write;
};
BOOST_DESCRIBE_STRUCT(Price, (), (prompt, completion, cached, cache_write))

class PriceTable {
public:
    PriceTable() = default;
    /// Both throw Error{configuration} that names the fault in the file and its place.
    static PriceTable from_file(const std::string& path);
    /// `origin` names the text in messages.
    static PriceTable from_json(std::string_view text, const std::string& origin);
    /// Returns the cost of a model, named as users write it; nullopt if it is not in the table.
    std::optional<double> cost(std::string_view model, const Usage&) const;

private:
    std::map<std::string, Price, std::less<>> prices_;
};
}
