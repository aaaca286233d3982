#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include "steps/models/protocols/responses.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
using Scan = const TextChunk* (TextChunkScanner::*)(std::string_view);
struct Kind {
    const char* name;
    Scan scan;
    std::vector<std::string> chunks;  // the text of each is T
    const char* text_at;              // the place of the text in its tree
    const char* model_at;
};
const std::vector<Kind> kinds = {
    {"openai",
     &TextChunkScanner::openai,
     {R"({"id":"c-1","object":"chat.completion.chunk","created":17,"model":"m","system_fingerprint":null,"choices":)"
      R"([{"index":0,"delta":{"content":"T"},"logprobs":null,"finish_reason":null}],"usage":null,"x":[{"y":-1.5}]})",
      R"( {"choices" : [ {"finish_reason":null,"delta":{"role":"assistant","reasoning":null,"tool_calls":[],)"
      R"("content":"T","refusal":null,"reasoning_content":""}} ]} )"},
     "/choices/0/delta/content",
     "/model"},
    {"responses",
     &TextChunkScanner::responses,
     {R"({"type":"response.output_text.delta","sequence_number":4,"item_id":"m1","output_index":1,"content_index":0,)"
      R"("delta":"T","logprobs":[],"obfuscation":"xx"})",
      R"({"delta":"T","type":"response.output_text.delta"})"},
     "/delta",
     ""},
    {"anthropic",
     &TextChunkScanner::anthropic,
     {R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"T"}})"},
     "/delta/text",
     ""},
    {"gemini",
     &TextChunkScanner::gemini,
     {R"({"candidates":[{"content":{"parts":[{"text":"T"}],"role":"model"},"index":0}],"usageMetadata":)"
      R"({"promptTokenCount":3,"promptTokensDetails":[{"modality":"TEXT","tokenCount":3}]},"modelVersion":"m",)"
      R"("responseId":"r"})"},
     "/candidates/0/content/parts/0/text",
     "/modelVersion"},
    {"ollama",
     &TextChunkScanner::ollama,
     {R"({"model":"m","created_at":"2026-11-20T10:00:00Z","message":{"role":"assistant","content":"T","images":null},)"
      R"("done":false})"},
     "/message/content",
     "/model"},
};
std::string with_text(std::string chunk, const std::string& text) {
    return chunk.replace(chunk.find("\"T\"") + 1, 1, text);
}
std::string at(const json& tree, const char* where) {
    const json::json_pointer pointer{std::string(where)};
    return tree.contains(pointer) && tree[pointer].is_string() ? tree[pointer].get<std::string>() : std::string();
}
std::string changed(std::string chunk, std::mt19937& random) {
    static const std::vector<std::string> pieces = {"\"",
                                                    "\\",
                                                    "{",
                                                    "}",
                                                    "[",
                                                    "]",
                                                    ",",
                                                    ":",
                                                    "0",
                                                    "1e9",
                                                    "-",
                                                    "null",
                                                    "true",
                                                    "\\u00e9",
                                                    "\\ud83d",
                                                    "\\ud83d\\ude00",
                                                    "\xc3\xa9",
                                                    "\xff",
                                                    "\xed\xa0\x80",
                                                    " ",
                                                    "\t",
                                                    "\"content\":\"x\",",
                                                    "\"delta\":{},",
                                                    "\"error\":{},",
                                                    "\"index\":0,",
                                                    "\"index\":1,",
                                                    "\"model\":\"n\",",
                                                    "\"finish_reason\":\"stop\",",
                                                    "\"type\":\"x\",",
                                                    "\"choices\":[],",
                                                    "0.5",
                                                    "\x01",
                                                    "\n"};
    for (int left = 1 + int(random() % 2); left > 0; --left) {
        auto where = chunk.find("T\"");
        if (where == chunk.npos || random() % 2) where = random() % (chunk.size() + 1);
        if (random() % 3 == 0) chunk.erase(where, 1 + random() % 3);
        else chunk.insert(where, pieces[random() % pieces.size()]);
    }
    return chunk;
}
}

TEST_CASE("a chunk of text only is recognised, with all its members") {
    const std::pair<const char*, const char*> texts[] = {
        {"", ""},
        {"Hello", "Hello"},
        {R"(a\n\t\r\b\f\"\\\/\u00e9\u20AC\ud83d\ude00\u0000)",
         "a\n\t\r\b\f\"\\/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},  // and a NUL
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f"}};
    for (const auto& kind : kinds)
        for (const auto& chunk : kind.chunks)
            for (const auto& [written, meant] : texts) {
                std::string text = meant;
                if (std::string_view(written).ends_with("\\u0000")) text += '\0';
                TextChunkScanner scanner;
                const auto bytes = with_text(chunk, written);
                const auto found = (scanner.*kind.scan)(bytes);
                const bool same = found && found->text == text && found->model == at(json::parse(bytes), kind.model_at);
                CHECK_MESSAGE(same, kind.name << ": " << bytes);
            }
    TextChunkScanner scanner;
    TextChunkScanner other;
    const auto *item = scanner.responses(kinds[1].chunks[0]), *none = other.responses(kinds[1].chunks[1]);
    CHECK((item->item == "m1" && item->index == 1 && none->item.empty() && none->index == -1));
    CHECK(scanner.anthropic(kinds[2].chunks[0])->index == 1);
    CHECK(json::parse(scanner.gemini(kinds[3].chunks[0])->usage)["promptTokenCount"] == 3);
}
TEST_CASE("the last chunks of a stream of OpenAI's protocol are recognised without a tree") {
    TextChunkScanner scanner;
    const auto finish = scanner.openai(
        R"({"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
    REQUIRE(finish);
    CHECK((finish->finish == "stop" && finish->has_choice && !finish->has_text && finish->usage.empty()));
    const auto usage = scanner.openai(R"({"id":"c","model":"m","choices":[],"usage":{"prompt_tokens":3}})");
    REQUIRE(usage);
    CHECK((usage->usage == R"({"prompt_tokens":3})" && usage->model == "m" && !usage->has_choice));
    for (const auto* other : {R"({"choices":[{"delta":{"tool_calls":[{}]},"finish_reason":"tool_calls"}]})",
                              R"({"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]})",
                              R"({"choices":[{"delta":{}},{"delta":{}}],"usage":{}})",
                              R"({"message":"no quota","usage":{"prompt_tokens":3}})",
                              R"({"object":"error","usage":{"prompt_tokens":3}})", R"({"choices":[],"usage":[]})",
                              R"({"choices":[{"finish_reason":"stop","finish_reason":"length","delta":{}}]})"})
        CHECK_MESSAGE(!scanner.openai(other), other);
}
TEST_CASE("a whole reply of OpenAI's protocol is recognised without a tree when it has only text") {
    const std::string reply =
        R"({"id":"c","object":"chat.completion","created":17,"model":"m","choices":[{"index":0,"message":{"role":)"
        R"("assistant","content":"T","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],)"
        R"("usage":{"prompt_tokens":3,"completion_tokens":1},"service_tier":"default"})";
    TextChunkScanner scanner;
    const auto found = scanner.openai_document(reply);
    REQUIRE(found);
    CHECK((found->text == "T" && found->finish == "stop" && found->model == "m"));
    CHECK(json::parse(found->usage)["completion_tokens"] == 1);
    CHECK(!scanner.openai(reply));  // a chunk has a delta
    CHECK(!scanner.openai_document(with_text(reply, R"({"tool_calls":[{}]})")));
}
TEST_CASE("an earlier scan does not change the result of a chunk") {
    const char* texts[] = {"a",  "",     "b c", "T",  R"(\n\")", R"(","x":")", R"("}}],"x":[{"y":{"z":")",
                           "\\", "\xff", "\n",  "\"", "d"};
    TextChunkScanner scanner;
    int wrong = 0;
    for (const auto& first : kinds)
        for (const auto& chunk : first.chunks)
            for (const char* text : texts)
                for (const auto& kind : kinds) {
                    (scanner.*first.scan)(chunk);
                    const auto bytes = with_text(chunk, text);
                    const auto found = (scanner.*kind.scan)(bytes);
                    TextChunkScanner fresh;
                    const auto expected = (fresh.*kind.scan)(bytes);
                    wrong += (found == nullptr) != (expected == nullptr);
                    if (found && expected)
                        wrong += found->text != expected->text || found->model != expected->model ||
                                 found->index != expected->index || found->usage != expected->usage;
                }
    CHECK(wrong == 0);
}
TEST_CASE("the scanner leaves chunks with more members or a mistake to the full reader") {
    const std::string good = R"({"choices":[{"delta":{"content":"T"}}]})";
    TextChunkScanner scanner;
    REQUIRE(scanner.openai(good));
    for (std::size_t length = 0; length < good.size(); ++length)
        CHECK_FALSE(scanner.openai(std::string_view(good).substr(0, length)));
    for (const char* chunk : {R"({"choices":[{"delta":{"content":"T"},"finish_reason":7}]})",
                              R"({"choices":[{"delta":{"content":"T"}}],"usage":7})",
                              R"({"choices":[{"delta":{"content":"T","tool_calls":[{}]}}]})",
                              R"({"choices":[{"delta":{"content":"T","reasoning":"x"}}]})",
                              R"({"choices":[{"delta":{"content":"T"}}],"error":"x"})",
                              R"({"choices":[{"delta":{"content":"T"},"index":1}]})",
                              R"({"choices":[{"delta":{"content":"T"},"index":0.0}]})",
                              R"({"choices":[{"delta":{"content":"T"}},{}]})",
                              R"({"choices":[{"delta":{"content":"T"}}],"choices":[]})",
                              R"({"choices":[{"delta":{"content":"T","content":"U"}}]})",
                              R"({"choices":[{"delta":{"content":null}}]})",
                              R"({"choices":[{"delta":{}}]})",
                              R"({"choices":[]})",
                              R"({"ch\u006fices":[{"delta":{"content":"T"}}]})",
                              R"({"choices":[{"delta":{"content":"\ud800"}}]})",
                              R"({"choices":[{"delta":{"content":"\udc00"}}]})",
                              R"({"choices":[{"delta":{"content":"\ud800\u0041"}}]})",
                              R"({"choices":[{"delta":{"content":"\x"}}]})",
                              "{\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}",
                              "{\"choices\":[{\"delta\":{\"content\":\"\n\"}}]}",
                              R"({"choices":[{"delta":{"content":"T"}}],"x":1e999})",
                              R"({"choices":[{"delta":{"content":"T"}}],"x":01})",
                              R"({"choices":[{"delta":{"content":"T"}}],"x":nul})",
                              R"({"choices":[{"delta":{"content":"T"}}],})",
                              R"({"choices":[{"delta":{"content":"T"}}]}x)",
                              "\xEF\xBB\xBF{\"choices\":[{\"delta\":{\"content\":\"T\"}}]}"})
        CHECK_MESSAGE(!scanner.openai(chunk), chunk);
    std::string deep = R"({"choices":[{"delta":{"content":"T"}}],"x":)" + std::string(100000, '[');
    CHECK_FALSE(scanner.openai(deep));
    for (const char* chunk :
         {R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","text":"T"}})",
          R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"T","citations":[]}})",
          R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"T"}})"})
        CHECK_FALSE(scanner.anthropic(chunk));
    for (const char* chunk : {R"({"candidates":[{"content":{"parts":[{"text":"T","thought":true}]}}]})",
                              R"({"candidates":[{"content":{"parts":[{"text":"T"},{"text":"U"}]}}]})",
                              R"({"candidates":[{"content":{"parts":[{"text":"T"}]},"finishReason":"STOP"}]})",
                              R"({"candidates":[{"content":{"parts":[{"text":"T"}]}}],"promptFeedback":{}})",
                              R"({"candidates":[{"content":{"parts":[{"text":"T"}]}}],"usageMetadata":7})"})
        CHECK_FALSE(scanner.gemini(chunk));
    for (const char* chunk : {R"({"message":{"content":"T"},"done":true})", R"({"message":{"content":"T"}})",
                              R"({"message":{"content":"T","thinking":"x"},"done":false})",
                              R"({"message":{"content":"T"},"done":false,"error":"x"})"})
        CHECK_FALSE(scanner.ollama(chunk));
}
TEST_CASE("for any recognised chunk the scanner gives the same result as a JSON tree") {
    std::mt19937 random(1);
    for (const auto& kind : kinds) {
        int recognised = 0;
        std::string wrong;
        for (int round = 0; round < 4000; ++round) {
            const auto chunk = changed(kind.chunks[random() % kind.chunks.size()], random);
            TextChunkScanner scanner;
            const auto found = (scanner.*kind.scan)(chunk);
            if (!found) continue;
            ++recognised;
            const auto tree = json::parse(chunk, nullptr, false);
            if (tree.is_discarded() || at(tree, kind.text_at) != found->text || at(tree, kind.model_at) != found->model)
                wrong = chunk;
        }
        CHECK_MESSAGE(wrong == "", kind.name);
        CHECK_MESSAGE(recognised > 100, kind.name);
    }
}
TEST_CASE("a reader with the scanner and one that makes a tree of every chunk give the same reply") {
    const struct {
        const Protocol& protocol;
        std::unique_ptr<ReplyReader> (*without_scanner)(const ChatRequest&, const Secret&);
        const Kind& kind;
        std::string end;
    } pairs[] = {{openai_chat, openai_reader_without_scanner, kinds[0],
                  "data: {\"choices\":[{\"delta\":{\"content\":\".\"},\"finish_reason\":\"stop\"}]}\n\n"},
                 {openai_responses, responses_reader_without_scanner, kinds[1],
                  "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"}};
    std::mt19937 random(2);
    for (const auto& pair : pairs) {
        Protocol without_scanner = pair.protocol;
        without_scanner.reader = pair.without_scanner;
        int differ = 0;
        for (int round = 0; round < 3000; ++round) {
            std::string bytes;
            for (int chunks = 1 + int(random() % 3); chunks > 0; --chunks) {
                const auto& chunk = pair.kind.chunks[random() % pair.kind.chunks.size()];
                bytes += "data: " + (random() % 2 ? changed(chunk, random) : chunk) + "\n\n";
            }
            bytes += pair.end;
            differ += read(pair.protocol, {bytes}) != read(without_scanner, {bytes});
        }
        CHECK_MESSAGE(differ == 0, pair.protocol.name);
    }
}
