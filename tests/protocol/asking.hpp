// Sends a request to a model server by each protocol, streamed or not, with a clock that jumps over waits.
//
//     for (const auto& way : ways) CHECK(ask(server.url(), way, {.messages = {user("hello")}}).reply.text == "hi");
#pragma once
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"
#include <nlohmann/json_fwd.hpp>
#include <utility>

namespace weft::models::testing {
struct Way {
    const Protocol* protocol;
    const char* base;
    bool stream;
    std::string name() const { return std::string(protocol->name) + (stream ? ", streamed" : ", whole"); }
};
extern const std::vector<Way> ways;

struct Outcome {
    ChatReply reply;
    std::vector<std::string> deltas;
    std::string error;
    Code code = Code::usage;
    std::chrono::nanoseconds waited{};
};
Outcome ask(const std::string& url, const Way&, const ChatRequest&, const std::string& key = "sk-canary");
/// Returns the body of an answer, and its status.
std::pair<unsigned, std::string> get(const std::string& url);
std::pair<unsigned, std::string> post(const std::string& url, const std::string& body, const char* header = nullptr);
/// Returns the requests in aimock's journal.
nlohmann::json journal_of(const std::string& url);
}
