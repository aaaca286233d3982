// Situations of servers of chat completions, as bytes: gateways, local servers and clouds omit, repeat and move
// different members. docs/model_servers.md lists the reports behind the rows.
#include "tests/steps/situations/table.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace situations;

namespace {
using nlohmann::json;
using Deltas = std::vector<json>;  // one for each chunk
using Shape = std::function<Deltas(const std::vector<Call>&)>;

std::string data(const json& value) { return "data: " + value.dump() + "\n\n"; }
json chunk(json delta, json finish = nullptr) {
    return {{"object", "chat.completion.chunk"},
            {"choices", {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(finish)}}}}};
}
Body stream(const std::vector<json>& chunks, const std::string& end = "data: [DONE]\n\n") {
    Body body{200, "", "Content-Type: text/event-stream\r\n"};
    for (const auto& one : chunks) body.bytes += data(one);
    body.bytes += end;
    return body;
}
Body whole(json message, const json& finish) {
    message["role"] = "assistant";
    return {200, json({{"choices", {{{"index", 0}, {"message", message}, {"finish_reason", finish}}}}}).dump()};
}
Reason streamed_calls(const Cell& cell) {
    return !cell.calls() ? no_calls(cell) : cell.streamed ? "" : "a whole reply has no pieces";
}
Reason streamed(const Cell& cell) { return cell.streamed ? "" : "it is about chunks"; }
Reason not_streamed(const Cell& cell) { return cell.streamed ? "it is about whole replies" : ""; }
/// Writes the calls of a reply in pieces of this shape.
Situation pieces(const std::string& name, Shape shape, json finish = "tool_calls") {
    return {name, only("openai", streamed_calls), [=](const Cell& cell, const Asked& asked) {
                const auto said = sound_reply(cell, asked);
                if (said.calls.empty()) return sound(cell, asked);
                std::vector<json> chunks = {chunk({{"role", "assistant"}, {"content", nullptr}})};
                for (const auto& delta : shape(said.calls)) chunks.push_back(chunk(delta));
                chunks.push_back(chunk(json::object(), finish));
                return stream(chunks);
            }};
}
json delta(json calls) { return {{"tool_calls", std::move(calls)}}; }
json piece(json more, const std::string& arguments) {
    more["function"]["arguments"] = arguments;
    return more;
}
json head(const Call& call, const std::string& arguments) {
    return {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", arguments}}}};
}
std::string begin_of(const Call& call) { return call.arguments.substr(0, 5); }
std::string end_of(const Call& call) { return call.arguments.substr(5); }
/// A shape that writes one call after another.
Shape each(std::function<void(std::size_t i, const Call&, Deltas&)> write) {
    return [write](const std::vector<Call>& calls) {
        Deltas deltas;
        for (std::size_t i = 0; i < calls.size(); ++i) write(i, calls[i], deltas);
        return deltas;
    };
}
/// Writes the calls of a whole reply in this form, under this name.
Situation message(const std::string& name, std::function<json(const Said&)> write, json finish = "tool_calls") {
    return {name, only("openai", [](const Cell& cell) { return cell.calls() ? not_streamed(cell) : no_calls(cell); }),
            [=](const Cell& cell, const Asked& asked) {
                const auto said = sound_reply(cell, asked);
                return said.calls.empty() ? sound(cell, asked) : whole(write(said), finish);
            }};
}
/// Changes the usual chunks of replies for all agents.
Situation chunks(const std::string& name, std::function<Body(Body)> change) {
    return {name, only("openai", streamed),
            [=](const Cell& cell, const Asked& asked) { return change(sound(cell, asked)); }};
}
std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}
}

TEST_CASE("pieces of calls are assembled when a server of chat completions marks them in its own way") {
    check_all(
        {pieces("no piece has an index", each([](std::size_t, const Call& call, Deltas& out) {
                    out.push_back(delta({head(call, begin_of(call))}));
                    out.push_back(delta({piece({}, end_of(call))}));
                })),
         pieces("two calls in one chunk, without an index",
                [](const std::vector<Call>& calls) {
                    json all;
                    for (const auto& call : calls) all.push_back(head(call, call.arguments));
                    return Deltas{delta(all)};
                }),
         pieces("only the first pieces have an index", each([](std::size_t i, const Call& call, Deltas& out) {
                    auto first = head(call, begin_of(call));
                    first["index"] = i;
                    out.push_back(delta({first}));
                    out.push_back(delta({piece({}, end_of(call))}));
                })),
         pieces("later pieces have an index that no call has", each([](std::size_t i, const Call& call, Deltas& out) {
                    auto first = head(call, begin_of(call));
                    first["index"] = 10 * i;
                    out.push_back(delta({first}));
                    out.push_back(delta({piece({{"index", 10 * i + 1}}, end_of(call))}));
                })),
         pieces("each piece has id and name", each([](std::size_t i, const Call& call, Deltas& out) {
                    for (const auto& part : {std::string(), begin_of(call), end_of(call)}) {
                        auto one = head(call, part);
                        one["index"] = i;
                        out.push_back(delta({one}));
                    }
                })),
         pieces("each piece has the name and no id", each([](std::size_t i, const Call& call, Deltas& out) {
                    for (const auto& part : {begin_of(call), end_of(call)}) {
                        json one = {{"index", i}, {"function", {{"name", call.name}, {"arguments", part}}}};
                        if (part == begin_of(call)) one["id"] = call.id;
                        out.push_back(delta({one}));
                    }
                })),
         pieces("one chunk has two pieces of a call", each([](std::size_t i, const Call& call, Deltas& out) {
                    auto first = head(call, begin_of(call));
                    first["index"] = i;
                    out.push_back(delta({first, piece({{"index", i}}, end_of(call))}));
                })),
         pieces("pieces of two calls take turns",
                [](const std::vector<Call>& calls) {
                    Deltas out;
                    for (std::size_t i = 0; i < calls.size(); ++i) {
                        auto first = head(calls[i], "");
                        first["index"] = i;
                        out.push_back(delta({first}));
                    }
                    for (std::size_t at = 0; at < calls[0].arguments.size(); ++at)
                        for (std::size_t i = 0; i < calls.size(); ++i)
                            out.push_back(delta({piece({{"index", i}}, calls[i].arguments.substr(at, 1))}));
                    return out;
                }),
         pieces("indexes count from 1", each([](std::size_t i, const Call& call, Deltas& out) {
                    auto one = head(call, call.arguments);
                    one["index"] = i + 1;
                    out.push_back(delta({one}));
                })),
         pieces("the index is a text", each([](std::size_t i, const Call& call, Deltas& out) {
                    auto one = head(call, call.arguments);
                    one["index"] = std::to_string(i);
                    out.push_back(delta({one}));
                })),
         pieces("later pieces have an id of null, a name of null and a type of null",
                each([](std::size_t i, const Call& call, Deltas& out) {
                    auto first = head(call, begin_of(call));
                    first["index"] = i;
                    out.push_back(delta({first}));
                    out.push_back(delta({{{"index", i},
                                          {"id", nullptr},
                                          {"type", nullptr},
                                          {"function", {{"name", nullptr}, {"arguments", end_of(call)}}}}}));
                })),
         pieces("later pieces have an id of \"\" and a name of \"\"",
                each([](std::size_t i, const Call& call, Deltas& out) {
                    auto first = head(call, "");
                    first["index"] = i;
                    out.push_back(delta({first}));
                    for (const auto& part : {begin_of(call), end_of(call)})
                        out.push_back(delta({{{"index", i},
                                              {"id", ""},
                                              {"type", "function"},
                                              {"function", {{"name", ""}, {"arguments", part}}}}}));
                })),
         pieces("all calls share id and index", each([](std::size_t, const Call& call, Deltas& out) {
                    auto one = head(call, call.arguments);
                    one["index"] = 0, one["id"] = "call_0";
                    out.push_back(delta({one}));
                })),
         pieces("no call has an id", each([](std::size_t i, const Call& call, Deltas& out) {
                    out.push_back(
                        delta({{{"index", i}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}}}));
                })),
         pieces("ids are numbers", each([](std::size_t i, const Call& call, Deltas& out) {
                    auto one = head(call, call.arguments);
                    one["index"] = i, one["id"] = 193629320 + i;
                    out.push_back(delta({one}));
                }))});
}
TEST_CASE("arguments are read as the model intended when a server of chat completions writes them in its own way") {
    const auto written = [](const char* name, std::function<json(const Call&)> arguments) {
        return pieces(name, each([=](std::size_t i, const Call& call, Deltas& out) {
                          auto one = head(call, "");
                          one["index"] = i, one["function"]["arguments"] = arguments(call);
                          out.push_back(delta({one}));
                      }));
    };
    const auto first_then = [](const char* name, const json& placeholder) {
        return pieces(name, each([=](std::size_t i, const Call& call, Deltas& out) {
                          auto one = head(call, "");
                          one["index"] = i, one["function"]["arguments"] = placeholder;
                          out.push_back(delta({one}));
                          out.push_back(delta({piece({{"index", i}}, call.arguments)}));
                      }));
    };
    const auto in_message = [](const char* name, std::function<json(const Call&)> write) {
        return message(name, [=](const Said& said) {
            json calls;
            for (const auto& call : said.calls) calls.push_back(write(call));
            return json({{"content", nullptr}, {"tool_calls", calls}});
        });
    };
    const auto with_arguments = [](const Call& call, json arguments) {
        auto one = head(call, "");
        one["function"]["arguments"] = std::move(arguments);
        return one;
    };
    const auto object = [](const Call& call) { return json::parse(call.arguments); };
    check_all(
        {written("an object, in a stream", object),
         written("the object three times",
                 [](const Call& call) { return call.arguments + call.arguments + call.arguments; }),
         written("with blanks and line breaks around",
                 [](const Call& call) { return " \n" + call.arguments + "\n\n"; }),
         written("encoded three times", [](const Call& call) { return json(json(call.arguments).dump()).dump(); }),
         first_then("null before them, as a value", nullptr), first_then("{} before them, as a value", json::object()),
         first_then("{} before them", "{}"), first_then("null before them", "null"),
         first_then("\"\" before them, encoded", "\"\""),
         pieces("pieces, and then all of them once more, with the reason to finish",
                [](const std::vector<Call>& calls) {
                    Deltas out;
                    for (std::size_t i = 0; i < calls.size(); ++i) {
                        auto one = head(calls[i], "");
                        one["index"] = i;
                        out.push_back(delta({one}));
                        out.push_back(delta({piece({{"index", i}}, begin_of(calls[i]))}));
                        out.push_back(delta({piece({{"index", i}}, end_of(calls[i]))}));
                        one["function"]["arguments"] = calls[i].arguments;
                        out.push_back(delta({one}));
                    }
                    return out;
                }),
         in_message("an object", [&](const Call& call) { return with_arguments(call, object(call)); }),
         in_message("encoded twice",
                    [&](const Call& call) { return with_arguments(call, json(call.arguments).dump()); }),
         in_message("twice in a row",
                    [&](const Call& call) { return with_arguments(call, call.arguments + call.arguments); }),
         in_message("without a type and an id", [&](const Call& call) {
             auto one = with_arguments(call, call.arguments);
             one.erase("id"), one.erase("type");
             return one;
         })});
}
TEST_CASE("calls run when a server of chat completions ends and names them in its own way") {
    const auto plain = each([](std::size_t i, const Call& call, Deltas& out) {
        auto one = head(call, call.arguments);
        one["index"] = i;
        out.push_back(delta({one}));
    });
    const auto named = [](const char* name, const std::string& before, const std::string& behind) {
        return pieces(name, each([=](std::size_t i, const Call& call, Deltas& out) {
                          auto one = head(call, call.arguments);
                          one["index"] = i, one["function"]["name"] = before + call.name + behind;
                          out.push_back(delta({one}));
                      }));
    };
    const auto calls_of = [](const Said& said) {
        json calls;
        for (const auto& call : said.calls) calls.push_back(head(call, call.arguments));
        return calls;
    };
    const auto finished = [&](const char* name, std::vector<json> ends) {
        return Situation{name, only("openai", streamed_calls), [=](const Cell& cell, const Asked& asked) {
                             const auto said = sound_reply(cell, asked);
                             if (said.calls.empty()) return sound(cell, asked);
                             std::vector<json> all = {chunk({{"content", "Let me calculate."}})};
                             for (const auto& one : plain(said.calls)) all.push_back(chunk(one));
                             for (const auto& end : ends) all.push_back(end);
                             return stream(all);
                         }};
    };
    check_all({pieces("finish_reason stop", plain, "stop"),
               pieces("finish_reason of its own", plain, "tool_use"),
               pieces("finish_reason function_call", plain, "function_call"),
               finished("two reasons to finish", {chunk(json::object(), "tool_calls"), chunk(json::object(), "stop")}),
               finished("only usage behind the calls",
                        {chunk(json::object(), "tool_calls"),
                         {{"choices", json::array()}, {"usage", {{"prompt_tokens", 1}, {"completion_tokens", 1}}}}}),
               {"the reason to finish comes with the last piece", only("openai", streamed_calls),
                [](const Cell& cell, const Asked& asked) {
                    const auto said = sound_reply(cell, asked);
                    if (said.calls.empty()) return sound(cell, asked);
                    std::vector<json> all;
                    for (std::size_t i = 0; i < said.calls.size(); ++i) {
                        auto one = head(said.calls[i], begin_of(said.calls[i]));
                        one["index"] = i;
                        all.push_back(chunk(delta({one})));
                        const bool last = i + 1 == said.calls.size();
                        all.push_back(chunk(delta({piece({{"index", i}}, end_of(said.calls[i]))}),
                                            last ? json("tool_calls") : json()));
                    }
                    return stream(all);
                }},
               named("blanks around the name", " ", "\n"),
               named("a channel behind the name", "", "<|channel|>commentary"),
               named("functions. before the name", "functions.", ""),
               named("default_api. before the name", "default_api.", ""),
               message(
                   "whole, finish_reason stop",
                   [=](const Said& said) {
                       return json({{"content", ""}, {"tool_calls", calls_of(said)}});
                   },
                   "stop"),
               message("whole, content is missing",
                       [=](const Said& said) {
                           return json({{"tool_calls", calls_of(said)}});
                       }),
               message("whole, a list of parts as content", [=](const Said& said) {
                   return json({{"content", json::array()}, {"tool_calls", calls_of(said)}});
               })});
}
TEST_CASE("a reply is read when a server of chat completions frames it in its own way") {
    const auto change = [](std::string what, std::string by) {
        return [=](Body body) {
            body.bytes = replaced(body.bytes, what, by);
            return body;
        };
    };
    const auto before = [](std::string text) {
        return [=](Body body) {
            body.bytes = text + body.bytes;
            return body;
        };
    };
    check_all(
        {chunks("no blank behind data:", change("data: ", "data:")),
         chunks("CRLF", change("\n", "\r\n")),
         chunks("no [DONE]", change("data: [DONE]\n\n", "")),
         chunks("comments between", change("data: {", ": OPENROUTER PROCESSING\n\ndata: {")),
         chunks("ids, retries and events between", change("data: {", "id: 7\nretry: 3000\nevent: message\ndata: {")),
         chunks("a byte order mark", before("\xEF\xBB\xBF")),
         chunks("a chunk without choices first",
                before("data: {\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n")),
         chunks("choices that are null first", before("data: {\"choices\":null}\n\n")),
         chunks("delta that is null first",
                before("data: {\"choices\":[{\"index\":0,\"delta\":null,\"finish_reason\":null}]}\n\n")),
         chunks("finish_reason is \"\" until the end", change("\"finish_reason\":null", "\"finish_reason\":\"\"")),
         chunks("an error that is null in each chunk",
                change("data: {\"choices\"", "data: {\"error\":null,\"choices\"")),
         chunks("no content type",
                [](Body body) {
                    return Body{200, body.bytes, ""};
                }),
         chunks("the content type of JSON",
                [](Body body) {
                    return Body{200, body.bytes};
                }),
         {"a whole reply where a stream was asked for", only("openai", streamed),
          [](const Cell& cell, const Asked& asked) {
              return write_body(*cell.protocol, false, sound_reply(cell, asked));
          }},
         {"a stream where a whole reply was asked for", only("openai", not_streamed),
          [](const Cell& cell, const Asked& asked) {
              return write_body(*cell.protocol, true, sound_reply(cell, asked));
          }}});
}
TEST_CASE("reasoning is not an answer when a server of chat completions sends it in its own place") {
    const auto thought = [](const char* name, json reasoning) {
        return Situation{
            name, only("openai"), [=](const Cell& cell, const Asked& asked) {
                const auto said = sound_reply(cell, asked);
                if (!said.calls.empty()) return sound(cell, asked);
                auto reply = reasoning;
                reply["role"] = "assistant";
                if (!cell.streamed) {
                    if (!reply.contains("content")) reply["content"] = said.text;
                    else reply["content"].push_back({{"type", "text"}, {"text", said.text}});
                    return whole(reply, "stop");
                }
                return stream({chunk(reply), chunk({{"content", said.text}}), chunk(json::object(), "stop")});
            }};
    };
    check_all({thought("reasoning_content", {{"reasoning_content", "hm\nAnswer: 41"}}),
               thought("reasoning", {{"reasoning", "hm\nAnswer: 41"}}),
               thought("reasoning and reasoning_details",
                       {{"reasoning", "hm"},
                        {"reasoning_details", {{{"type", "reasoning.text"}, {"text", "hm"}, {"index", 0}}}}}),
               thought("thinking among the parts of the content",
                       {{"content",
                         {{{"type", "thinking"}, {"thinking", {{{"type", "text"}, {"text", "hm\nAnswer: 41"}}}}}}}})});
}
