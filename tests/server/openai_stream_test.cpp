#include "engine/text/utf8.hpp"
#include "workflows/server/openai/chat.hpp"
#include "workflows/server/openai/responses.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::server;
using nlohmann::json;

namespace {
const OpenaiHead head = {"1", "react", 1700000000};
const models::Usage usage = {10, 5, 3, 2};

/// A list calls its functions from left to right, and a sum need not.
std::string joined(std::initializer_list<std::string> parts) {
    std::string text;
    for (const auto& part : parts) text += part;
    return text;
}
struct Line {
    std::string event;
    json data;
};
/// Reads a stream with one `data:` line and a blank line for each event.
std::vector<Line> lines_of(const std::string& text) {
    std::vector<Line> lines;
    std::size_t at = 0;
    while (at < text.size()) {
        Line line;
        if (text.compare(at, 7, "event: ") == 0) {
            const auto end = text.find('\n', at);
            line.event = text.substr(at + 7, end - at - 7);
            at = end + 1;
        }
        REQUIRE(text.compare(at, 6, "data: ") == 0);
        const auto end = text.find("\n\n", at);
        REQUIRE(end != std::string::npos);
        const auto data = text.substr(at + 6, end - at - 6);
        REQUIRE(data.find('\n') == std::string::npos);
        line.data = data == "[DONE]" ? json(data) : json::parse(data);
        lines.push_back(std::move(line));
        at = end + 2;
    }
    return lines;
}
std::string content_of(const std::vector<Line>& lines) {
    std::string text;
    for (const auto& line : lines)
        if (line.data.is_object() && line.data.contains("choices") && !line.data["choices"].empty())
            text += line.data["choices"][0]["delta"].value("content", "");
    return text;
}
}

TEST_CASE("a whole answer of a chat has the form that clients read") {
    CHECK(chat_completion(head, {"Salz \"1\"\n", OpenaiFinish::stop, usage}) ==
          R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"react","choices":[{"index":0,)"
          R"("message":{"role":"assistant","content":"Salz \"1\"\n","refusal":null},"logprobs":null,)"
          R"("finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,)"
          R"("prompt_tokens_details":{"cached_tokens":3,"cache_write_tokens":0},)"
          R"("completion_tokens_details":{"reasoning_tokens":2}}})");
    CHECK(json::parse(chat_completion(head, {"\xff", OpenaiFinish::length, {}}))["choices"][0]["finish_reason"] ==
          "length");
}
TEST_CASE("a stream of a chat begins with the role, ends with the reason, and has one id, time and model") {
    ChatStream stream(head, false);
    const auto text = joined({stream.begin(), stream.piece("Sal"), stream.piece(""), stream.piece("z"),
                              stream.finish(OpenaiFinish::stop, usage)});
    const auto lines = lines_of(text);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0].data["choices"][0]["delta"] == json{{"role", "assistant"}, {"content", ""}});
    CHECK(lines[3].data["choices"][0]["delta"] == json::object());
    CHECK(lines[3].data["choices"][0]["finish_reason"] == "stop");
    CHECK(lines[4].data == "[DONE]");
    CHECK(content_of(lines) == "Salz");
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(lines[i].data["id"] == "chatcmpl-1");
        CHECK(lines[i].data["created"] == 1700000000);
        CHECK(lines[i].data["model"] == "react");
        CHECK(lines[i].data["object"] == "chat.completion.chunk");
        CHECK_FALSE(lines[i].data.contains("usage"));
        CHECK(lines[i].data["choices"][0]["finish_reason"].is_null() == (i < 3));
    }
}
TEST_CASE("usage is sent on request in a separate chunk, and is null before it") {
    ChatStream stream(head, true);
    const auto lines = lines_of(joined({stream.piece("x"), stream.finish(OpenaiFinish::length, usage)}));
    REQUIRE(lines.size() == 5);
    for (std::size_t i = 0; i < 3; ++i) CHECK(lines[i].data.at("usage").is_null());
    CHECK(lines[2].data["choices"][0]["finish_reason"] == "length");
    CHECK(lines[3].data["choices"] == json::array());
    CHECK(lines[3].data["usage"]["total_tokens"] == 15);
    CHECK(lines[4].data == "[DONE]");
}
TEST_CASE("an error within a stream is its last line") {
    ChatStream stream(head, true);
    const auto lines = lines_of(
        joined({stream.piece("x"), stream.fail(openai_run_failed(Code::model_failed, "the model is gone")),
                stream.begin(), stream.piece("y"), stream.finish(OpenaiFinish::stop, {}), stream.fail({})}));
    REQUIRE(lines.size() == 3);
    CHECK(lines[2].data["error"]["message"] == "the model is gone");
    CHECK(lines[2].data["error"].size() == 4);
}
TEST_CASE("a long piece is sent in several short lines, cut between characters") {
    std::string longest = "x";  // so that no character ends at the end of a line
    for (int i = 0; i < 20000; ++i) longest += "\u00e9";
    ChatStream chat(head, false);
    ResponsesStream response(head);
    const auto lines = lines_of(chat.piece(longest));
    CHECK(lines.size() == 1 + 3);
    CHECK(content_of(lines) == longest);
    std::string text;
    for (const auto& line : lines_of(response.piece(longest)))
        if (line.event == "response.output_text.delta") {
            CHECK(line.data["delta"].get<std::string>().size() <= max_openai_piece);
            text += line.data["delta"].get<std::string>();
        }
    CHECK(text == longest);
}
TEST_CASE("invalid bytes are repaired in a stream, in the same way wherever they stand") {
    ResponsesStream response(head);
    const auto lines = lines_of(
        joined({response.piece("a\xc3"), response.piece("\xff\x80z"), response.finish(OpenaiFinish::stop, {})}));
    std::string text;
    for (const auto& line : lines) {
        if (line.event == "response.output_text.delta") text += line.data["delta"].get<std::string>();
        if (line.event == "response.output_text.done") CHECK(line.data["text"] == text);
        if (line.event == "response.completed") CHECK(line.data["response"]["output"][0]["content"][0]["text"] == text);
    }
    CHECK(text.starts_with("a\ufffd"));
}
TEST_CASE("a response's stream has all events in their order, with rising numbers") {
    ResponsesStream stream(head);
    const auto lines = lines_of(
        joined({stream.begin(), stream.piece("Sal"), stream.piece("z"), stream.finish(OpenaiFinish::stop, usage)}));
    std::string order;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        CHECK(lines[i].data["type"] == lines[i].event);
        CHECK(lines[i].data["sequence_number"] == i);
        order += lines[i].event.substr(9) + ' ';
    }
    CHECK(order == "created in_progress output_item.added content_part.added output_text.delta output_text.delta "
                   "output_text.done content_part.done output_item.done completed ");
    CHECK(lines[0].data["response"]["status"] == "in_progress");
    CHECK(lines[9].data["response"]["id"] == lines[0].data["response"]["id"]);
    CHECK(lines[8].data["item"] == lines[9].data["response"]["output"][0]);
    CHECK(lines[9].data["response"]["usage"]["total_tokens"] == 15);
    const auto whole = json::parse(response_json(head, {"Salz", OpenaiFinish::stop, usage}));
    CHECK(lines[9].data["response"] == whole);
    CHECK(whole["status"] == "completed");
}
TEST_CASE("a response at a limit is incomplete, and a failed one has its error in two places") {
    const auto cut = json::parse(response_json(head, {"x", OpenaiFinish::length, {}}));
    CHECK(cut["status"] == "incomplete");
    CHECK(cut["incomplete_details"] == json{{"reason", "max_output_tokens"}});
    ResponsesStream stream(head);
    const auto lines = lines_of(joined({stream.piece("x"), stream.fail(openai_run_failed(Code::timed_out, "late")),
                                        stream.piece("y"), stream.finish(OpenaiFinish::stop, {})}));
    REQUIRE(lines.size() == 7);
    CHECK(lines[5].event == "error");
    CHECK(lines[5].data["message"] == "late");
    CHECK(lines[6].event == "response.failed");
    CHECK(lines[6].data["response"]["error"]["message"] == "late");
    CHECK(lines[6].data["response"]["output"][0]["status"] == "incomplete");
    ResponsesStream early(head);
    CHECK(lines_of(early.fail({})).size() == 4);
}
