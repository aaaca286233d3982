// Ids are compared one with another: there are few calls in a reply.
#include "steps/models/protocols/call_ids.hpp"
#include "steps/models/protocols/fault.hpp"
#include <algorithm>

namespace weft::models::call_ids {
namespace {
constexpr std::size_t most_calls = 128, longest_arguments = 1 << 20;

bool has_id(const std::vector<ToolCall>& calls, const std::string& id) {
    return std::any_of(calls.begin(), calls.end(), [&](const ToolCall& call) { return call.id == id; });
}
void refuse_same_id(const std::vector<ToolCall>& calls, const ToolCall& call) {
    if (!call.id.empty() && has_id(calls, call.id)) throw broken("gave two of its calls the same id");
}
std::string make_free(const std::vector<ToolCall>& calls, std::size_t number) {
    auto id = make(number);
    while (has_id(calls, id)) id = make(++number);
    return id;
}
/// Of an id that was made here; of any other, and of the highest one, after which they begin anew, -1.
std::size_t number_of(std::string_view id) {
    constexpr auto none = static_cast<std::size_t>(-1);
    if (id.size() != 9 || !id.starts_with("call")) return none;
    std::size_t number = 0;
    for (const char c : id.substr(4)) {
        if (c < '0' || c > '9') return none;
        number = 10 * number + static_cast<std::size_t>(c - '0');
    }
    return number == 99999 ? none : number;
}
std::size_t bytes_of_arguments(const std::vector<ToolCall>& calls) {
    std::size_t bytes = 0;
    for (const auto& call : calls) bytes += call.arguments.size();
    return bytes;
}
}

std::size_t next(const std::vector<Message>& messages) {
    std::size_t calls = 0, free = 0;
    for (const auto& message : messages)
        for (const auto& call : message.calls) {
            ++calls;
            free = std::max(free, number_of(call.id) + 1);
        }
    return std::max(calls, free);
}
std::string make(std::size_t number) {
    const auto digits = std::to_string(number % 100000);
    return "call" + std::string(5 - digits.size(), '0') + digits;
}
bool is_repeated(const std::vector<ToolCall>& calls, const ToolCall& call) {
    return !call.id.empty() && std::find(calls.begin(), calls.end(), call) != calls.end();
}

void add(std::vector<ToolCall>& calls, ToolCall call, std::size_t before) {
    refuse_same_id(calls, call);
    if (call.id.empty()) call.id = make_free(calls, before + calls.size());
    calls.push_back(std::move(call));
    check_number(calls.size());
    check_arguments(bytes_of_arguments(calls));
}
void settle(std::vector<ToolCall>& calls, std::size_t before) {
    check_number(calls.size());
    const auto bytes = bytes_of_arguments(calls);
    std::vector<ToolCall> kept;
    for (auto& call : calls) {
        if (is_repeated(kept, call)) continue;
        refuse_same_id(kept, call);
        kept.push_back(std::move(call));
    }
    check_arguments(bytes);
    for (auto& call : kept)
        if (call.id.empty()) call.id = make_free(kept, before);
    calls = std::move(kept);
}

void check_number(std::size_t calls) {
    if (calls > most_calls) throw broken("asked for more than " + std::to_string(most_calls) + " calls in one reply");
}
void check_arguments(std::size_t bytes) {
    if (bytes > longest_arguments) throw broken("sent more than 1 MiB of arguments for its calls");
}
}
