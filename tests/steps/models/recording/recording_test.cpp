#include "engine/testing/await.hpp"
#include "steps/models/model_error.hpp"
#include "steps/models/recording/recorded.hpp"
#include "steps/models/recording/recording.hpp"
#include "tests/support/folder.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <sys/stat.h>
using namespace weft;
using namespace weft::models;

namespace {
const std::string key = "sk-canary-12345";

/// Answers with calls, text, reasoning and errors, as the last message requests, and repeats the key in each part.
struct Lively final : ChatModel {
    int asked = 0;
    std::string name() const override { return "lively:1"; }
    awaitable<ChatReply> chat(const ChatRequest& request, const OnDelta& on_delta) override {
        const auto& last = request.messages.back().content;
        ++asked;
        if (last == "busy")
            throw ModelError(Code::model_failed, "lively failed (503): " + key,
                             {FaultKind::transient, "503", "r1", 3, {}});
        if (last == "long") throw PromptTooLong("lively cannot read so long a conversation");
        ChatReply reply;
        reply.text = last == "add" ? "" : "number " + std::to_string(asked) + " " + key;
        if (last == "add") {
            reply.calls = {{"call_1", "add", R"({"a": 1, "b": 2})"}};
            reply.finish = FinishReason::tool_calls;
        }
        reply.usage = {10, 2, 1, 0};
        reply.model = "lively-2026";
        reply.native = {"lively", {R"({"signature":"x","z":1,"a":[2]})"}};
        reply.request_id = "r2";
        if (on_delta)
            for (std::size_t i = 0; i < reply.text.size(); i += 5) on_delta(std::string_view(reply.text).substr(i, 5));
        co_return reply;
    }
};
struct Asked {
    std::string text, error;
    ChatReply reply;
    Code code = Code::usage;
    bool too_long = false;
    FaultKind kind = FaultKind::permanent;
};
Asked ask(ChatModel& model, const ChatRequest& request) {
    Asked asked;
    const OnDelta on_delta = [&](std::string_view delta) { asked.text += delta; };
    try {
        asked.reply = testing::await(model.chat(request, on_delta));
    } catch (const ModelError& error) {
        asked.error = error.what();
        asked.kind = error.kind();
        asked.too_long = dynamic_cast<const PromptTooLong*>(&error);
    } catch (const Error& error) {
        asked.error = error.what();
        asked.code = error.code();
    }
    return asked;
}
Asked ask(ChatModel& model, const std::string& text) {
    ChatRequest request;
    request.messages = {instruction("Be brief."), user(text)};
    return ask(model, request);
}
const std::string head = "{\"weft_recording\": 1}\n";
std::string line(const std::string& asked, const std::string& reply) {
    return R"({"request":{"messages":[{"role":"user","content":")" + asked + R"("}]},"reply":{"text":")" + reply +
           "\"}}\n";
}
std::unique_ptr<ReplayModel> replay(const std::string& text) { return ReplayModel::from_text(text, "r.jsonl"); }
}

TEST_CASE("a recording replays text, deltas, calls, usage, native replies and errors") {
    const test::Folder folder;
    const auto path = folder.path("r.jsonl");
    Lively lively;
    {
        RecordingModel recording(lively, path, {Secret(key)});
        for (const char* text : {"again", "add", "again", "busy", "long"}) ask(recording, text);
        CHECK(recording.name() == "lively:1");
    }
    const auto model = ReplayModel::from_file(path);
    CHECK(model->size() == 5);
    const auto add = ask(*model, "add");
    CHECK(add.reply.calls == std::vector<ToolCall>{{"call_1", "add", R"({"a": 1, "b": 2})"}});
    CHECK(add.reply.finish == FinishReason::tool_calls);
    CHECK(add.reply.usage == Usage{10, 2, 1, 0});
    CHECK(add.reply.native.protocol == "lively");
    CHECK(add.reply.model + "|" + add.reply.request_id + "|" + add.reply.answered_by == "lively-2026|r2|lively:1");
    std::string texts;
    for (int i = 0; i < 3; ++i) texts += ask(*model, "again").text + ";";
    CHECK(texts == "number 1 ***;number 3 ***;number 3 ***;");
    const auto busy = ask(*model, "busy");
    CHECK(busy.error == "lively failed (503): ***");
    CHECK(busy.kind == FaultKind::transient);
    CHECK(model->unused() == 1);
    CHECK(ask(*model, "long").too_long);
    CHECK(model->unused() == 0);
    CHECK(model->name() == "replay:" + path);
}
TEST_CASE("a conversation continues from replayed replies as it did from the recorded ones") {
    const test::Folder folder;
    const auto path = folder.path("r.jsonl");
    const auto converse = [](ChatModel& model) {
        ChatRequest request;
        request.messages = {user("add")};
        request.tools = {{"add", "Adds.", R"({"type":"object", "properties":{}})"}};
        const auto first = ask(model, request).reply;
        request.messages.push_back(first.message());
        request.messages.push_back(result(first.calls.at(0), "3"));
        return ask(model, request).text;
    };
    Lively lively;
    std::string said;
    {
        RecordingModel recording(lively, path, {});
        said = converse(recording);
    }
    CHECK(converse(*ReplayModel::from_file(path)) == said);
}
TEST_CASE("a request's trace is in no recording, and a replay ignores it") {
    const test::Folder folder;
    const auto path = folder.path("r.jsonl");
    ChatRequest request;
    request.messages = {user("again")};
    request.traceparent = "00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01";
    request.tracestate = "vendor=1";
    Lively lively;
    {
        RecordingModel recording(lively, path, {});
        ask(recording, request);
    }
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK_FALSE(text.empty());
    CHECK(text.find("eee19b7ec3c1b174") == text.npos);
    CHECK(text.find("vendor") == text.npos);
    request.traceparent.back() = '0';
    CHECK(ask(*ReplayModel::from_file(path), request).error.empty());
}
TEST_CASE("a recording is for its owner, shows no secret in any form, and replaces only a recording") {
    const test::Folder folder;
    const std::string path = folder.path("r.jsonl");
    Lively lively;
    for (int i = 0; i < 2; ++i) {
        RecordingModel recording(lively, path, {Secret(key), Secret("pass/word+1")});
        ask(recording, "my " + key + " pass%2Fword%2B1 xx cGFzcy93b3JkKzE= " + std::string(3, 'y'));
        CHECK_THROWS_WITH_AS(RecordingModel(lively, path), doctest::Contains("another one is writing it"), Error);
    }
    const auto text = folder.read("r.jsonl");
    for (const auto& secret : {key, std::string("pass%2F"), std::string("cGFzcy93b3Jk")})
        CHECK(text.find(secret) == std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
    struct stat status {};
    ::stat(path.c_str(), &status);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(ask(*ReplayModel::from_file(path, {Secret(key), Secret("pass/word+1")}),
              "my " + key + " pass%2Fword%2B1 xx cGFzcy93b3JkKzE= yyy")
              .text != "");

    folder.write("notes", "my notes");
    CHECK_THROWS_WITH_AS(RecordingModel(lively, folder.path("notes")), doctest::Contains("is not a recording"), Error);
    CHECK(folder.read("notes") == "my notes");
    CHECK_THROWS_WITH_AS(RecordingModel(lively, folder.path("none/r")), doctest::Contains("No such file"), Error);
    CHECK_THROWS_WITH_AS(RecordingModel(lively, "/dev/null"), doctest::Contains("it is not a file"), Error);
}
TEST_CASE("a request without a recording fails with the place and the lines that differ") {
    const auto model = replay(head + line("one", "1") + line(R"(Sum:\n  a\n  b\n  c)", "2"));
    ChatRequest request;
    request.messages = {user("Sum:\n  a\n  B\n  c")};
    const auto asked = ask(*model, request);
    CHECK(asked.code == Code::script_mismatch);
    CHECK(asked.error ==
          "the recording r.jsonl has no reply to this request: record it again if the change is meant. The "
          "closest of its 2 exchanges is number 2; messages[0].content differs:\n"
          "--- recorded\n+++ asked\n@@ messages[0].content @@\n"
          "   Sum:\n     a\n-    b\n+    B\n     c\n messages[0].ok: true\n");
    CHECK(ask(*replay(head), "x").error.find("for it is empty: record it again") != std::string::npos);
}
TEST_CASE("an invalid recording is refused with the faulty line, but a truncated last line is ignored") {
    const std::string cut = line("two", "2").substr(0, 40);
    const auto model = replay(head + line("one", "1") + cut);
    CHECK(model->size() == 1);
    CHECK(model->note() ==
          "the last line of the recording r.jsonl is cut off, as when a process is killed: it is left out");
    for (const auto& [text, why] :
         {std::pair<std::string, const char*>{"", "its first line has to be"},
          {"{}\n", "its first line has to be"},
          {"{\"weft_recording\": 2}\n", "another version"},
          {head + cut + "\n", "line 2: "},
          {head + "{\"request\":{\"messages\":[]}}\n", "line 2: exchange: either reply or error"},
          {head + "{\"request\":{\"messages\":[{}]}}\n", "exchange.request.messages[0]"},
          {head + std::string(100, '[') + "\n", "line 2: "}})
        CHECK_THROWS_WITH_AS(replay(text), doctest::Contains(why), Error);
    CHECK_THROWS_WITH_AS(ReplayModel::from_file("."), doctest::Contains("cannot be read"), Error);
}
TEST_CASE("a test's model replays, records on request, and never uses a real model by accident") {
    const test::Folder folder;
    const std::string path = folder.path("r.jsonl");
    int made = 0;
    const auto make = [&]() -> std::unique_ptr<ChatModel> {
        ++made;
        return std::make_unique<Lively>();
    };
    CHECK_THROWS_WITH_AS(models::recorded(path, make), doctest::Contains("WEFT_RECORD=1"), Error);
    ::setenv("WEFT_RECORD", "1", 1);
    const auto said = ask(*models::recorded(path, make), "again").text;
    ::unsetenv("WEFT_RECORD");
    CHECK(ask(*models::recorded(path, make), "again").text == said);
    CHECK(made == 1);
}
