// Messages between a program and a chat model, in a form that every protocol can carry.
//
//     std::vector<Message> messages = {instruction("Be brief."), user("6 * 7?")};
//     messages.push_back(reply.message());                  // the model's text and calls
//     messages.push_back(result(reply.calls[0], "42"));     // a tool's result for one of them
//
// Each call has exactly one result. Results follow the message with the calls, in the order of the calls.
#pragma once
#include "engine/describe.hpp"
#include "engine/json/text.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {
enum class Role { system, user, assistant, tool };
BOOST_DESCRIBE_ENUM(Role, system, user, assistant, tool)

/// A call of a tool, as a model writes it through its protocol.
struct ToolCall {
    std::string id;         // the provider's; call_ids.hpp makes missing ones
    std::string name;       // the tool's
    std::string arguments;  // JSON as the model wrote it: may be malformed
    friend bool operator==(const ToolCall&, const ToolCall&) = default;
};
BOOST_DESCRIBE_STRUCT(ToolCall, (), (id, name, arguments))

/// A reply as its protocol wrote it. A server of the same protocol gets it back in place of text and calls, so that
/// parts which only the server understands, such as signed reasoning, stay unchanged.
struct Native {
    std::string protocol;  // empty: no native form
    JsonText json;
    friend bool operator==(const Native&, const Native&) = default;
};
BOOST_DESCRIBE_STRUCT(Native, (), (protocol, json))

struct Message {
    Role role = Role::user;
    std::string content = {};
    std::vector<ToolCall> calls = {};  // an assistant's calls
    std::string call = {}, tool = {};  // a tool's: the id and the name of the call
    bool ok = true;                    // a tool's: false for an error
    Native native = {};                // an assistant's
    /// Offsets where a growing content was continued: the bytes before each joint are the same in the next request. Not
    /// part of the message's JSON.
    std::vector<std::size_t> joints = {};
    static constexpr std::string_view optional_fields[] = {"calls", "call", "tool", "ok", "native"};
    static constexpr std::string_view undescribed_fields[] = {"joints"};
    friend bool operator==(const Message&, const Message&) = default;
};
BOOST_DESCRIBE_STRUCT(Message, (), (role, content, calls, call, tool, ok, native))

// Not named system, because a literal would select the C library's function.
inline Message instruction(std::string text) { return {Role::system, std::move(text)}; }
inline Message user(std::string text) { return {Role::user, std::move(text)}; }
inline Message assistant(std::string text) { return {Role::assistant, std::move(text)}; }
inline Message result(const ToolCall& call, std::string text, bool ok = true) {
    return {Role::tool, std::move(text), {}, call.id, call.name, ok, {}, {}};
}
}
