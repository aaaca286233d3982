// What is said between a program and a chat model, in a form that every protocol can carry.
//
//     std::vector<Message> messages = {instruction("Be brief."), user("6 * 7?")};
//     messages.push_back(reply.message());                  // what the model said, with the calls it asks for
//     messages.push_back(result(reply.calls[0], "42"));     // what a tool said to one of them
//
// Each call has exactly one result. Results follow the message that asks for them, in the order of its calls.
#pragma once
#include "engine/describe.hpp"
#include "engine/json/text.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {
enum class Role { system, user, assistant, tool };
BOOST_DESCRIBE_ENUM(Role, system, user, assistant, tool)

/// A call that a model asks for by itself, through its protocol.
struct ToolCall {
    std::string id;         // the provider's; made by call_ids.hpp where it gives none
    std::string name;       // of the tool
    std::string arguments;  // JSON as the model wrote it: perhaps broken
    friend bool operator==(const ToolCall&, const ToolCall&) = default;
};
BOOST_DESCRIBE_STRUCT(ToolCall, (), (id, name, arguments))

/// A reply as its protocol wrote it. Sent back to a server of the same protocol in place of text and calls, so that
/// what only the server understands - reasoning with a signature, say - comes back to it unchanged.
struct Native {
    std::string protocol;  // empty: there is none
    JsonText json;
    friend bool operator==(const Native&, const Native&) = default;
};
BOOST_DESCRIBE_STRUCT(Native, (), (protocol, json))

struct Message {
    Role role = Role::user;
    std::string content;
    std::vector<ToolCall> calls = {};  // of an assistant: what it asks for
    std::string call = {}, tool = {};  // of a tool: the id and the name of the call that the content is the result of
    bool ok = true;                    // of a tool: it did what it was asked
    Native native = {};                // of an assistant
    /// Where a content that grows from request to request has been continued: what stands before each of these bytes is
    /// the same in the next request. No part of what is said, so neither of its JSON.
    std::vector<std::size_t> joints = {};
    static constexpr std::string_view optional_fields[] = {"calls", "call", "tool", "ok", "native"};
    static constexpr std::string_view undescribed_fields[] = {"joints"};
    friend bool operator==(const Message&, const Message&) = default;
};
BOOST_DESCRIBE_STRUCT(Message, (), (role, content, calls, call, tool, ok, native))

// Not called system, which a literal would take for the C library's.
inline Message instruction(std::string text) { return {Role::system, std::move(text)}; }
inline Message user(std::string text) { return {Role::user, std::move(text)}; }
inline Message assistant(std::string text) { return {Role::assistant, std::move(text)}; }
inline Message result(const ToolCall& call, std::string text, bool ok = true) {
    return {Role::tool, std::move(text), {}, call.id, call.name, ok, {}, {}};
}
}
