// Parses the values of options and answers: times, budgets, JSON. Throws Error{usage} for any other text.
#pragma once
#include "steps/agents/common/budget.hpp"
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::driver {
/// "30", "1.5s", "500ms", "2m", "1h".
std::chrono::milliseconds parse_duration(const std::string& text, const std::string& option = "--timeout");
/// "tokens=20000,cost=0.05,requests=10,tool_calls=8,time=2m", any of them.
agents::Budget parse_budget(const std::string&);
/// The value of a text from the command line or from standard input. The sentence begins with what it is.
nlohmann::json read_json(const std::string& text, const std::string& what);
}
