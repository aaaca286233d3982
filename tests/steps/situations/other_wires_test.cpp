// Situations of servers of the other protocols, as bytes. Many servers are gateways to models of another protocol.
#include "tests/steps/situations/table.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace situations;

namespace {
using nlohmann::json;
Reason streamed(const Cell& cell) { return cell.streamed ? "" : "it is about a stream"; }
Reason streamed_calls(const Cell& cell) { return cell.calls() ? streamed(cell) : no_calls(cell); }
Body events(const std::string& bytes) { return {200, bytes, "Content-Type: text/event-stream\r\n"}; }
std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}
Situation changed(const char* protocol, const std::string& name, std::function<std::string(std::string)> change,
                  Applies also = streamed) {
    return {name, only(protocol, std::move(also)), [=](const Cell& cell, const Asked& asked) {
                auto body = sound(cell, asked);
                body.bytes = change(body.bytes);
                return body;
            }};
}
Situation instead(const char* protocol, const std::string& name, const std::string& what, const std::string& by,
                  Applies also = streamed) {
    return changed(
        protocol, name, [=](std::string bytes) { return replaced(std::move(bytes), what, by); }, std::move(also));
}
Situation before(const char* protocol, const std::string& name, const std::string& text) {
    return changed(protocol, name, [=](std::string bytes) { return text + bytes; });
}
/// Writes each reply with this function.
Situation writes(const char* protocol, const std::string& name, std::function<Body(const Said&)> write,
                 Applies also = streamed) {
    return {name, only(protocol, std::move(also)),
            [=](const Cell& cell, const Asked& asked) { return write(sound_reply(cell, asked)); }};
}
std::string event(const std::string& type, json data, bool named = true) {
    data["type"] = type;
    return (named ? "event: " + type + "\n" : "") + "data: " + data.dump() + "\n\n";
}
/// Writes a whole block in its begin, without pieces.
Body anthropic_at_once(const Said& said) {
    std::string bytes = event("message_start", {{"message", {{"role", "assistant"}, {"content", json::array()}}}});
    int index = 0;
    const auto add = [&](json block) {
        bytes += event("content_block_start", {{"index", index}, {"content_block", std::move(block)}});
        bytes += event("content_block_stop", {{"index", index++}});
    };
    if (!said.text.empty()) add({{"type", "text"}, {"text", said.text}});
    for (const auto& call : said.calls)
        add({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", json::parse(call.arguments)}});
    bytes += event("message_delta", {{"delta", {{"stop_reason", said.calls.empty() ? "end_turn" : "tool_use"}}}});
    return events(bytes + event("message_stop", json::object()));
}
json response_of(const Said& said) {
    json items = json::array();
    if (!said.text.empty())
        items.push_back({{"type", "message"},
                         {"role", "assistant"},
                         {"content", {{{"type", "output_text"}, {"text", said.text}}}}});
    for (const auto& call : said.calls)
        items.push_back({{"type", "function_call"},
                         {"id", "fc_" + call.id},
                         {"call_id", call.id},
                         {"name", call.name},
                         {"arguments", call.arguments}});
    return {{"status", "completed"}, {"output", items}};
}
Body gemini_parts(const std::vector<json>& all, const std::string& end = "STOP") {
    std::string bytes;
    for (const auto& parts : all)
        bytes += "data: " + json({{"candidates", {{{"content", {{"role", "model"}, {"parts", parts}}}}}}}).dump() +
                 "\n\n";
    return events(bytes + "data: " + json({{"candidates", {{{"finishReason", end}}}}}).dump() + "\n\n");
}
json gemini_part(const Call& call) {
    return {{"functionCall", {{"name", call.name}, {"args", json::parse(call.arguments)}}}};
}
}

TEST_CASE("a reply is read when a server of Messages frames it in its own way") {
    check_all({writes("anthropic", "whole blocks in their beginning", anthropic_at_once),
               changed("anthropic", "no names of events",
                       [](std::string bytes) {
                           for (const char* type : {"message_start", "content_block_start", "content_block_delta",
                                                    "content_block_stop", "message_delta", "message_stop"})
                               bytes = replaced(std::move(bytes), std::string("event: ") + type + "\n", "");
                           return bytes;
                       }),
               instead("anthropic", "a ping between", "event: content_block_delta",
                       "event: ping\ndata: {\"type\":\"ping\"}\n\nevent: content_block_delta"),
               instead("anthropic", "an event of a new kind between", "event: content_block_delta",
                       "event: news\ndata: {\"type\":\"news\",\"index\":0}\n\nevent: content_block_delta"),
               changed("anthropic", "no message_stop",
                       [](std::string bytes) { return bytes.substr(0, bytes.find("event: message_stop")); }),
               changed("anthropic", "[DONE] behind message_stop",
                       [](std::string bytes) { return bytes + "data: [DONE]\n\n"; }),
               changed("anthropic", "no message_start",
                       [](std::string bytes) { return bytes.substr(bytes.find("event: content_block_start")); }),
               instead("anthropic", "stop_reason end_turn behind calls", "\"stop_reason\":\"tool_use\"",
                       "\"stop_reason\":\"end_turn\"", streamed_calls),
               instead("anthropic", "an error that is null", "\"type\":\"message_delta\"",
                       "\"type\":\"message_delta\",\"error\":null"),
               {"a whole reply where a stream was asked for", only("anthropic", streamed),
                [](const Cell& cell, const Asked& asked) {
                    return write_body(*cell.protocol, false, sound_reply(cell, asked));
                }}});
}
TEST_CASE("a reply is read when a server of Responses frames it in its own way") {
    check_all({writes("responses", "only response.completed",
                      [](const Said& said) {
                          return events(event("response.completed", {{"response", response_of(said)}}));
                      }),
               writes("responses", "items when they are done, and an empty completed response",
                      [](const Said& said) {
                          std::string bytes;
                          auto whole = response_of(said);
                          int index = 0;
                          for (const auto& item : whole["output"])
                              bytes += event("response.output_item.done", {{"output_index", index++}, {"item", item}});
                          whole["output"] = json::array();
                          return events(bytes + event("response.completed", {{"response", whole}}));
                      }),
               writes("responses", "no names of events",
                      [](const Said& said) {
                          return events(event("response.completed", {{"response", response_of(said)}}, false));
                      }),
               instead("responses", "response.created and in_progress before", "event: response.output_item.added",
                       "event: response.in_progress\ndata: "
                       "{\"type\":\"response.in_progress\",\"response\":{\"status\":\"in_progress\",\"error\":null,"
                       "\"output\":[]}}\n\nevent: response.output_item.added"),
               changed("responses", "[DONE] behind it", [](std::string bytes) { return bytes + "data: [DONE]\n\n"; }),
               instead("responses", "an error that is null", "\"status\":\"completed\"",
                       "\"error\":null,\"incomplete_details\":null,\"status\":\"completed\"", anywhere)});
}
TEST_CASE("a reply is read when a server of Gemini frames it in its own way") {
    check_all({writes("gemini", "the reason to finish in a part of its own",
                      [](const Said& said) {
                          json parts = json::array();
                          if (!said.text.empty()) parts.push_back({{"text", said.text}});
                          for (const auto& call : said.calls) parts.push_back(gemini_part(call));
                          return gemini_parts({parts});
                      }),
               writes("gemini", "each call in a chunk of its own",
                      [](const Said& said) {
                          std::vector<json> all;
                          if (!said.text.empty()) all.push_back(json::array({{{"text", said.text}}}));
                          for (const auto& call : said.calls) all.push_back(json::array({gemini_part(call)}));
                          return gemini_parts(all);
                      }),
               writes("gemini", "an empty text behind it, with a signature",
                      [](const Said& said) {
                          json parts = json::array();
                          if (!said.text.empty()) parts.push_back({{"text", said.text}});
                          for (const auto& call : said.calls) parts.push_back(gemini_part(call));
                          return gemini_parts({parts, {{{"text", ""}, {"thoughtSignature", "c2ln"}}}});
                      }),
               writes("gemini", "args as text",
                      [](const Said& said) {
                          json parts = json::array();
                          if (!said.text.empty()) parts.push_back({{"text", said.text}});
                          for (const auto& call : said.calls)
                              parts.push_back({{"functionCall", {{"name", call.name}, {"args", call.arguments}}}});
                          return gemini_parts({parts});
                      }),
               writes("gemini", "a thought before it",
                      [](const Said& said) {
                          json parts = json::array();
                          if (!said.text.empty()) parts.push_back({{"text", said.text}});
                          for (const auto& call : said.calls) parts.push_back(gemini_part(call));
                          return gemini_parts({{{{"text", "hm\nAnswer: 41"}, {"thought", true}}}, parts});
                      }),
               before("gemini", "usage alone before it", "data: {\"usageMetadata\":{\"promptTokenCount\":3}}\n\n"),
               changed("gemini", "CRLF", [](std::string bytes) { return replaced(std::move(bytes), "\n", "\r\n"); })});
}
TEST_CASE("a reply is read when a server of Ollama frames it in its own way") {
    const auto line = [](json message, bool done) {
        return json({{"model", "m"}, {"message", std::move(message)}, {"done", done}}).dump() + "\n";
    };
    const auto calls_in_lines = [=](bool as_text, const char* end) {
        return [=](const Said& said) {
            Body body{200, "", "Content-Type: application/x-ndjson\r\n"};
            if (!said.text.empty()) body.bytes += line({{"role", "assistant"}, {"content", said.text}}, false);
            for (const auto& call : said.calls)
                body.bytes += line(
                    {{"role", "assistant"},
                     {"content", ""},
                     {"tool_calls",
                      {{{"function",
                         {{"name", call.name},
                          {"arguments", as_text ? json(call.arguments) : json::parse(call.arguments)}}}}}}},
                    false);
            body.bytes += end;
            return body;
        };
    };
    const char* end = "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_"
                      "reason\":\"stop\"}\n";
    check_all(
        {writes("ollama", "each call in a line of its own", calls_in_lines(false, end)),
         writes("ollama", "arguments as text", calls_in_lines(true, end)),
         writes("ollama", "no message in the last line", calls_in_lines(false, "{\"model\":\"m\",\"done\":true}\n")),
         writes("ollama", "no line break at its end", calls_in_lines(false, "{\"model\":\"m\",\"done\":true}")),
         writes("ollama", "an empty line between", calls_in_lines(false, "\n\n{\"model\":\"m\",\"done\":true}\n")),
         changed("ollama", "CRLF", [](std::string bytes) { return replaced(std::move(bytes), "\n", "\r\n"); }),
         changed("ollama", "thinking in lines of its own", [=](std::string bytes) {
             return line({{"role", "assistant"}, {"content", ""}, {"thinking", "hm\nAnswer: 41"}}, false) + bytes;
         })});
}
