#include "tests/steps/situations/bodies.hpp"
#include <nlohmann/json.hpp>

namespace situations {
namespace {
using nlohmann::json;
enum class Kind { openai, responses, anthropic, gemini, ollama };
Kind kind_of(const Protocol& protocol) {
    const std::string_view name = protocol.name;
    return name == "openai"      ? Kind::openai
           : name == "responses" ? Kind::responses
           : name == "anthropic" ? Kind::anthropic
           : name == "gemini"    ? Kind::gemini
                                 : Kind::ollama;
}
std::string event(const json& data) { return "data: " + data.dump(-1, ' ', true) + "\n\n"; }
std::string named(const std::string& type, json data) {
    data["type"] = type;
    return "event: " + type + "\n" + event(data);
}
/// Returns the text in two pieces, cut between two characters; cut_pair makes a cut within a UTF-16 pair.
std::vector<std::string> pieces(const std::string& text) {
    auto half = text.size() / 2;
    while (half < text.size() && (text[half] & 0xC0) == 0x80) ++half;
    return {text.substr(0, half), text.substr(half)};
}
/// Splits the escapes of the only pair in the bytes: the mark is the boundary of two chunks.
std::string cut_pair(std::string bytes) {
    const std::string first = "\\ud83d", second = "\\ude00";
    auto at = bytes.find("FIRST");
    if (at != bytes.npos) bytes.replace(at, 5, first);
    at = bytes.find("SECOND");
    if (at != bytes.npos) bytes.replace(at, 6, second);
    return bytes;
}
struct Writer {
    const Said& said;
    bool has(Oddity oddity) const { return said.oddity == oddity; }
    std::vector<Call> calls() const {
        std::vector<Call> all;
        for (auto call : said.calls) {
            if (has(Oddity::same_id)) call.id = "shared";
            if (has(Oddity::no_id)) call.id.clear();
            if (has(Oddity::encoded_twice)) call.arguments = json(call.arguments).dump();
            all.push_back(call);
            if (has(Oddity::sent_twice)) all.push_back(call);
        }
        return all;
    }
    std::vector<std::string> text() const {
        if (has(Oddity::cut_character)) return {said.text + " FIRST", "SECOND"};
        return pieces(said.text);
    }
    std::string whole_text() const { return has(Oddity::cut_character) ? said.text + " \U0001F600" : said.text; }
    std::int64_t index(std::size_t i) const { return has(Oddity::same_index) ? 0 : std::int64_t(i); }
    /// Returns an object, or for that oddity its JSON as text.
    json object(const Call& call) const { return json::parse(call.arguments); }
    const char* done() const { return has(Oddity::done_mark) ? "data: [DONE]\n\n" : ""; }
};

std::string openai_stream(const Writer& w) {
    const auto chunk = [](json delta, json finish = nullptr) {
        return event(
            {{"choices", {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(finish)}}}}});
    };
    std::string bytes = chunk({{"role", "assistant"}, {"content", ""}});
    if (!w.said.reasoning.empty()) bytes += chunk({{"content", nullptr}, {"reasoning_content", w.said.reasoning}});
    for (const auto& piece : w.text())
        if (!piece.empty()) bytes += chunk({{"content", piece}});
    std::size_t i = 0;
    for (const auto& call : w.calls()) {
        const auto part = [&](const std::string& id, const std::string& name, const std::string& arguments) {
            json function = {{"arguments", arguments}};
            if (!name.empty()) function["name"] = name;
            json one = {{"index", w.index(i)}, {"function", std::move(function)}};
            if (!id.empty()) one["id"] = id;
            return chunk({{"tool_calls", {std::move(one)}}});
        };
        bytes += part(call.id, call.name, w.has(Oddity::placeholder_first) ? "{}" : "");
        for (const auto& piece : pieces(call.arguments))
            bytes += part(w.has(Oddity::changing_id) ? call.id + "x" : "", "", piece);
        ++i;
    }
    bytes += chunk(json::object(), w.said.calls.empty() ? "stop" : "tool_calls");
    return bytes + (w.has(Oddity::no_end) ? "" : "data: [DONE]\n\n");
}
json openai_whole(const Writer& w) {
    json message = {{"role", "assistant"}, {"content", w.whole_text()}};
    if (!w.said.reasoning.empty()) message["reasoning_content"] = w.said.reasoning, message["content"] = nullptr;
    for (const auto& call : w.calls())
        message["tool_calls"].push_back({{"id", call.id},
                                         {"type", "function"},
                                         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
    return {{"choices",
             {{{"index", 0}, {"message", message}, {"finish_reason", w.said.calls.empty() ? "stop" : "tool_calls"}}}}};
}

json response_items(const Writer& w) {
    json items = json::array();
    if (!w.said.reasoning.empty())
        items.push_back({{"type", "reasoning"},
                         {"id", "r1"},
                         {"summary", {{{"type", "summary_text"}, {"text", w.said.reasoning}}}}});
    if (!w.said.text.empty())
        items.push_back({{"type", "message"},
                         {"id", "m1"},
                         {"role", "assistant"},
                         {"content", {{{"type", "output_text"}, {"text", w.whole_text()}}}}});
    std::size_t i = 0;
    for (const auto& call : w.calls())
        items.push_back({{"type", "function_call"},
                         {"id", "f" + std::to_string(i++)},
                         {"call_id", call.id},
                         {"name", call.name},
                         {"arguments", call.arguments}});
    return items;
}
std::string responses_stream(const Writer& w) {
    std::string bytes;
    auto items = response_items(w);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto item = items[i];
        const auto number = item["type"] == "function_call" ? w.index(i) : std::int64_t(i);
        const json place = {{"output_index", number}, {"item_id", item["id"]}};
        auto begun = item;
        if (item["type"] == "function_call") begun["arguments"] = w.has(Oddity::placeholder_first) ? "{}" : "";
        if (item["type"] == "message") begun["content"] = json::array();
        bytes += named("response.output_item.added", {{"output_index", number}, {"item", begun}});
        const auto delta = [&](const char* type, const std::string& piece) {
            auto data = place;
            if (w.has(Oddity::changing_id) && item["type"] == "function_call") data["item_id"] = "other";
            data["delta"] = piece;
            bytes += named(type, data);
        };
        if (item["type"] == "message")
            for (const auto& piece : w.text()) delta("response.output_text.delta", piece);
        if (item["type"] == "function_call")
            for (const auto& piece : pieces(item["arguments"].get<std::string>()))
                delta("response.function_call_arguments.delta", piece);
        bytes += named("response.output_item.done", {{"output_index", number}, {"item", item}});
    }
    bytes += named("response.completed", {{"response", {{"status", "completed"}, {"output", items}}}});
    return bytes + w.done();
}

json anthropic_blocks(const Writer& w) {
    json blocks = json::array();
    if (!w.said.reasoning.empty())
        blocks.push_back({{"type", "thinking"}, {"thinking", w.said.reasoning}, {"signature", "s"}});
    if (!w.said.text.empty()) blocks.push_back({{"type", "text"}, {"text", w.whole_text()}});
    for (const auto& call : w.calls())
        blocks.push_back({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", w.object(call)}});
    return blocks;
}
std::string anthropic_stream(const Writer& w) {
    std::string bytes = named("message_start", {{"message", {{"role", "assistant"}, {"content", json::array()}}}});
    const auto blocks = anthropic_blocks(w);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        auto block = blocks[i];
        const auto type = block["type"].get<std::string>();
        const auto index = w.index(i);
        const auto delta = [&](json data) {
            bytes += named("content_block_delta", {{"index", index}, {"delta", std::move(data)}});
        };
        const auto input = block.value("input", json());
        if (type == "tool_use") block["input"] = json::object();
        if (type == "text") block["text"] = "";
        bytes += named("content_block_start", {{"index", index}, {"content_block", block}});
        if (type == "text")
            for (const auto& piece : w.text()) delta({{"type", "text_delta"}, {"text", piece}});
        if (type == "tool_use" && w.has(Oddity::placeholder_first))
            delta({{"type", "input_json_delta"}, {"partial_json", "{}"}});
        if (type == "tool_use")
            for (const auto& piece : pieces(input.dump()))
                delta({{"type", "input_json_delta"}, {"partial_json", piece}});
        bytes += named("content_block_stop", {{"index", index}});
    }
    bytes += named("message_delta", {{"delta", {{"stop_reason", w.said.calls.empty() ? "end_turn" : "tool_use"}}}});
    if (!w.has(Oddity::no_end) && !w.has(Oddity::done_mark)) bytes += named("message_stop", json::object());
    return bytes + w.done();
}

json gemini_whole(const Writer& w, const std::vector<std::string>& texts) {
    json parts = json::array();
    if (!w.said.reasoning.empty()) parts.push_back({{"text", w.said.reasoning}, {"thought", true}});
    for (const auto& text : texts)
        if (!text.empty()) parts.push_back({{"text", text}});
    for (const auto& call : w.calls()) {
        json function = {{"name", call.name}, {"args", w.object(call)}};
        if (!call.id.empty()) function["id"] = call.id;
        parts.push_back({{"functionCall", function}});
    }
    return {{"candidates", {{{"content", {{"role", "model"}, {"parts", parts}}}, {"finishReason", "STOP"}}}}};
}
std::string gemini_stream(const Writer& w) {
    std::string bytes;
    const auto texts = w.text();
    if (w.said.calls.empty() && w.said.reasoning.empty())
        bytes = event({{"candidates", {{{"content", {{"parts", {{{"text", texts[0]}}}}}}}}}});
    const bool first_sent = !bytes.empty();
    return bytes + event(gemini_whole(w, first_sent ? std::vector{texts[1]} : texts)) + w.done();
}

json ollama_line(const Writer& w, const std::string& text, bool done) {
    json message = {{"role", "assistant"}, {"content", text}};
    if (done && !w.said.reasoning.empty()) message["thinking"] = w.said.reasoning;
    if (done)
        for (const auto& call : w.calls()) {
            json one = {{"function", {{"name", call.name}, {"arguments", w.object(call)}}}};
            if (!call.id.empty()) one["id"] = call.id;
            message["tool_calls"].push_back(one);
        }
    json line = {{"model", "m"}, {"message", message}, {"done", done}};
    if (done) line["done_reason"] = "stop";
    return line;
}
std::string ollama_stream(const Writer& w) {
    const auto texts = w.text();
    return ollama_line(w, texts[0], false).dump(-1, ' ', true) + "\n" +
           ollama_line(w, texts[1], true).dump(-1, ' ', true) + "\n";
}
}

Body write_body(const Protocol& protocol, bool streamed, const Said& said) {
    const Writer w{said};
    Body body;
    if (streamed) {
        body.headers = "Content-Type: text/event-stream\r\n";
        switch (kind_of(protocol)) {
        case Kind::openai: body.bytes = openai_stream(w); break;
        case Kind::responses: body.bytes = responses_stream(w); break;
        case Kind::anthropic: body.bytes = anthropic_stream(w); break;
        case Kind::gemini: body.bytes = gemini_stream(w); break;
        case Kind::ollama: body.bytes = ollama_stream(w); break;
        }
    } else {
        json whole;
        switch (kind_of(protocol)) {
        case Kind::openai: whole = openai_whole(w); break;
        case Kind::responses: whole = {{"status", "completed"}, {"output", response_items(w)}}; break;
        case Kind::anthropic:
            whole = {{"role", "assistant"},
                     {"content", anthropic_blocks(w)},
                     {"stop_reason", said.calls.empty() ? "end_turn" : "tool_use"}};
            break;
        case Kind::gemini: whole = gemini_whole(w, {w.whole_text()}); break;
        case Kind::ollama: whole = ollama_line(w, w.whole_text(), true); break;
        }
        body.bytes = whole.dump();
    }
    body.bytes = cut_pair(std::move(body.bytes));
    return body;
}
Body write_error(const Protocol& protocol, int status, const std::string& message, const std::string& code) {
    json error = {{"message", message}};
    if (!code.empty()) error["code"] = code, error["type"] = code;
    json document = {{"error", error}};
    if (kind_of(protocol) == Kind::ollama) document = {{"error", message}};
    if (kind_of(protocol) == Kind::anthropic) document["type"] = "error";
    return {status, document.dump()};
}
}
