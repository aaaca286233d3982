// The table of situations from public bug reports that occur in every protocol.
#include "tests/steps/situations/table.hpp"
#include <doctest/doctest.h>
using namespace situations;

TEST_CASE("calls are assembled when a server shares, changes or omits their ids") {
    const auto in_pieces = [](const Cell& cell) -> Reason {
        if (!cell.calls()) return no_calls(cell);
        if (!cell.streamed || cell.is("gemini") || cell.is("ollama")) return "its calls come whole";
        return "";
    };
    check_all({{"two calls share an index", in_pieces, odd(Oddity::same_index)},
               {"two calls share an id", no_calls, odd(Oddity::same_id)},
               {"calls have empty ids", no_calls, odd(Oddity::no_id)},
               {"the id of a call changes", in_pieces, odd(Oddity::changing_id)},
               {"{} comes before the arguments", in_pieces, odd(Oddity::placeholder_first)},
               {"arguments are encoded twice", no_calls, odd(Oddity::encoded_twice)},
               {"each call comes twice", no_calls, odd(Oddity::sent_twice)}});
}
TEST_CASE("reasoning is not an answer when it is in the text") {
    const auto before = [](std::string thought) {
        return with_text([=](const std::string& text) { return thought + text; });
    };
    check_all({{"a <think> block", anywhere, before("<think>\nhm {\"a\": 1}\nAction: sum\n</think>\n\n")},
               {"only </think>", anywhere, before("hm {\"a\": 1}\nI could write Action: x\n</think>\n\n")},
               {"<thinking>", anywhere, before("<thinking>hm</thinking>\n")},
               {"[THINK]", anywhere, before("[THINK]hm[/THINK]")},
               {"Kimi K3", anywhere, before("<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>response<|sep|>")},
               {"gpt-oss without marks", anywhere, before("analysisWe calculate.assistantfinal")},
               {"Granite", anywhere, before("Here is my thought process: hm.\nHere is my response: ")},
               {"the command line of Ollama", anywhere, before("Thinking...\nhm\n...done thinking.\n\n")},
               {"Open WebUI", anywhere, before("<details type=\"reasoning\" done=\"true\">\n> hm\n</details>\n")},
               {"channels", anywhere,
                before("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>")}});
}
TEST_CASE("a template's marks are not part of the answer when a server leaves them in the text") {
    const auto around = [](std::string begin, std::string end) {
        return with_text([=](const std::string& text) { return begin + text + end; });
    };
    check_all({{"ChatML", anywhere, around("<|im_start|>assistant\n", "<|im_end|>")},
               {"Llama 3", anywhere, around("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>")},
               {"the turn of the user", anywhere, around("", "<end_of_turn>\n<start_of_turn>user\nWhat else?")},
               {"GLM-V", anywhere, around("<|begin_of_box|>", "<|end_of_box|>")},
               {"a token at the end", anywhere, around("", "<|im_assistant|>")}});
}
TEST_CASE("the model gets a note when its reply is empty or only reasoning") {
    const auto error = [](const Cell& cell) { return std::string(cell.loops() ? "" : "no answer"); };
    check_all({{"a <think> block that never closes", anywhere, first({"<think>hm"}), error},
               {"reasoning alone", anywhere, first({"", "hm"}), error},
               {"an empty reply", anywhere, first({""}), error}});
}
TEST_CASE("a call runs when it is written as text") {
    const auto as = [](std::string begin, std::string end) {
        return [=](const Cell& cell, const Asked& asked) {
            auto said = sound_reply(cell, asked);
            for (const auto& call : said.calls)
                said.text += begin + R"({"name": ")" + call.name + R"(", "arguments": )" + call.arguments + "}" + end;
            said.calls.clear();
            return write_body(*cell.protocol, cell.streamed, said);
        };
    };
    check_all({{"<tool_call>", no_calls, as("<tool_call>\n", "\n</tool_call>\n")},
               {"<tools>", no_calls, as("<tools>\n", "\n</tools>\n")},
               {"[TOOL_CALLS]", no_calls, as("[TOOL_CALLS]", "")},
               {"fences", no_calls, as("```json\n", "\n```\n")}});
}
TEST_CASE("a request is sent again in another form when the server refuses a part of it") {
    auto system = refused("the system role", "", 400, "System role not supported");
    system.serve = [](const Cell& cell, const Asked& asked) {
        const bool has = asked.has(R"("role":"system")") || asked.has(R"("system":)") ||
                         asked.has(R"("systemInstruction")") || asked.has(R"("instructions":)");
        return has ? write_error(*cell.protocol, 400, "System role not supported") : sound(cell, asked);
    };
    auto tools = refused("tools in a stream", R"("tools")", 400, "Cannot use tools with stream");
    tools.serve = [](const Cell& cell, const Asked& asked) {
        const bool streams = asked.has(R"("stream":true)") || asked.has("streamGenerateContent");
        if (asked.has(R"("tools")") && streams) return write_error(*cell.protocol, 400, "Cannot use tools with stream");
        return write_body(*cell.protocol, streams, sound_reply(cell, asked));
    };
    check_all({refused("stream_options", R"("stream_options")", 400,
                       "Unrecognized request argument supplied: stream_options"),
               refused("stop", R"("stop":)", 400, "Unsupported parameter: 'stop' is not supported with this model."),
               refused("stop_sequences", R"("stop_sequences")", 400, "stop_sequences: Extra inputs are not permitted"),
               refused("stopSequences", R"("stopSequences")", 400, "stopSequences is not supported by this model"),
               refused("temperature", R"("temperature")", 400,
                       "Unsupported value: 'temperature' does not support 0.5 with this model."),
               refused("seed", R"("seed")", 422, "Unknown parameter: 'seed'"),
               refused("response_format", R"("response_format")", 400, "This response_format type is unavailable now"),
               refused("json_schema", R"("json_schema")", 400, "response_format.type `json_schema` is unavailable now"),
               refused("output_config", R"("output_config")", 400, "output_config: Extra inputs are not permitted"),
               refused("responseJsonSchema", R"("responseMimeType")", 400,
                       "Function calling with a response mime type: 'application/json' is unsupported"),
               refused("content null", R"("content":null)", 400, "messages.2.content: Input should be a valid string"),
               refused("ids of another server", R"("id":"a1")", 400,
                       "Tool call id was a1 but must be a-z, A-Z, 0-9, with a length of 9."),
               std::move(system), std::move(tools)});
}
TEST_CASE("the model gets a note when its server could not read its call") {
    const auto error = [](const Cell& cell) { return std::string(cell.loops() ? "" : "could not"); };
    check_all({{"tool_use_failed", anywhere,
                [](const Cell& cell, const Asked& asked) {
                    return asked.before
                               ? sound(cell, asked)
                               : write_error(*cell.protocol, 400, "Failed to call a function.", "tool_use_failed");
                },
                error},
               {"error parsing tool call", anywhere,
                [](const Cell& cell, const Asked& asked) {
                    return asked.before
                               ? sound(cell, asked)
                               : write_error(*cell.protocol, 500,
                                             "error parsing tool call: raw='{\"e\": 6*7', err=invalid character");
                },
                error}});
}
TEST_CASE("an error in any form is shown in its server's words and delays the retry") {
    const auto says = [](std::string words) { return [words](const Cell&) { return words; }; };
    const auto always = [](int status, std::string words) {
        return [=](const Cell& cell, const Asked&) { return write_error(*cell.protocol, status, words); };
    };
    const auto once = [](int status, std::string words) {
        return [=](const Cell& cell, const Asked& asked) {
            return asked.before ? sound(cell, asked) : write_error(*cell.protocol, status, words);
        };
    };
    const auto bytes = [](std::string bytes) {
        return [=](const Cell&, const Asked&) { return Body{200, bytes, "Content-Type: text/event-stream\r\n"}; };
    };
    check_all(
        {{"an error with status 200", anywhere, always(200, "the moon is down"), says("the moon is down")},
         {"an error line", anywhere, bytes("error: {\"code\":400,\"message\":\"the moon is down\"}\n\n"),
          says("the moon is down")},
         {"an error event",
          [](const Cell& cell) { return Reason(cell.is("ollama") ? "its stream has lines, not events" : ""); },
          bytes("event: error\ndata: {\"message\":\"the moon is down\"}\n\n"), says("the moon is down")},
         {"a prompt that is too long", anywhere,
          always(400, "This model's maximum context length is 4096 tokens. Please reduce the length of the messages."),
          says("so long a conversation")},
         {"an overload", anywhere, once(503, "overloaded")},
         {"a limit in words", anywhere, once(429, "Rate limit reached. Please try again in 1m30s.")}});
}
TEST_CASE("a reply is whole when its server ends it in its own way") {
    const auto ends = [](const Cell& cell) -> Reason {
        if (!cell.streamed) return "it has no end of its own";
        return cell.is("responses") || cell.is("ollama") ? "its end is its reason to finish" : "";
    };
    const auto marks = [](const Cell& cell) -> Reason {
        return !cell.streamed ? "it has no end of its own" : cell.is("ollama") ? "it sends lines" : "";
    };
    check_all({{"nothing behind the reason to finish", ends, odd(Oddity::no_end)},
               {"[DONE]", marks, odd(Oddity::done_mark)}});
}
