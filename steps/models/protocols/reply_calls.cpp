// Ids are compared one with another: there are few calls in a reply.
#include "steps/models/protocols/reply_calls.hpp"
#include "steps/models/protocols/fault.hpp"
#include <algorithm>

namespace weft::models::reply_calls {
namespace {
constexpr std::size_t most_calls = 128, longest_arguments = 1 << 20;

bool has_id(const std::vector<ToolCall>& calls, const std::string& id) {
    return std::any_of(calls.begin(), calls.end(), [&](const ToolCall& call) { return call.id == id; });
}
void refuse_same_id(const std::vector<ToolCall>& calls, const ToolCall& call) {
    if (!call.id.empty() && has_id(calls, call.id)) throw broken("gave two of its calls the same id");
}
std::string make_free(const std::vector<ToolCall>& calls, std::size_t number) {
    auto id = call_ids::make(number);
    while (has_id(calls, id)) id = call_ids::make(++number);
    return id;
}
std::size_t bytes_of_arguments(const std::vector<ToolCall>& calls) {
    std::size_t bytes = 0;
    for (const auto& call : calls) bytes += call.arguments.size();
    return bytes;
}
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
void assign_ids_and_drop_repeats(std::vector<ToolCall>& calls, std::size_t before) {
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
