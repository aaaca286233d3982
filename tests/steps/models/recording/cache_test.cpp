// The cache of replies: what is the same request, what is kept, and what becomes of its file.
#include "engine/testing/await.hpp"
#include "steps/models/model_error.hpp"
#include "steps/models/recording/cache.hpp"
#include "tests/support/folder.hpp"
#include <doctest/doctest.h>
#include <sys/stat.h>
using namespace weft;
using namespace weft::models;

namespace {
struct Counting final : ChatModel {
    int asked = 0;
    std::string called = "counting:1", says = "number ";
    FinishReason finish = FinishReason::stop;
    using ChatModel::chat;
    std::string name() const override { return called; }
    awaitable<ChatReply> chat(const ChatRequest& request, const OnDelta& on_delta) override {
        if (request.messages.back().content == "fail") throw ModelError(Code::model_failed, "busy", {});
        ChatReply reply;
        reply.text = says + std::to_string(++asked);
        reply.reasoning = "thought";
        reply.usage = {10, 2};
        reply.finish = finish;
        reply.attempts = 3;
        if (on_delta) on_delta(reply.text);
        co_return reply;
    }
};
struct Answered {
    ChatReply reply;
    std::string deltas, reasoning;
    std::vector<CallNote> notes;
};
ChatRequest request_of(const std::string& text) {
    ChatRequest request;
    request.messages.push_back(user(text));
    return request;
}
Answered ask(ChatModel& model, ChatRequest request) {
    Answered answered;
    request.on_note = [&](const CallNote& note) { answered.notes.push_back(note); };
    request.on_reasoning = [&](std::string_view piece) { answered.reasoning += piece; };
    const OnDelta on_delta = [&](std::string_view piece) { answered.deltas += piece; };
    answered.reply = testing::await(model.chat(request, on_delta));
    return answered;
}
Answered ask(ChatModel& model, const std::string& text) { return ask(model, request_of(text)); }
}

TEST_CASE("the same request is asked once, also in another process, and a cached reply costs nothing and says so") {
    const test::Folder folder;
    Counting real;
    {
        CachedModel model(real, folder.path("cache.jsonl"));
        CHECK_FALSE(ask(model, "a").reply.cached);
        const auto again = ask(model, "a");
        CHECK(again.reply.text == "number 1");
        CHECK(again.deltas == "number 1");
        CHECK(again.reasoning == "thought");
        CHECK(again.reply.cached);
        CHECK(again.reply.usage == Usage());
        CHECK(again.reply.attempts == 1);
        REQUIRE(again.notes.size() == 1);
        CHECK(again.notes[0].kind == CallNote::Kind::cached);
        ask(model, "b");
        CHECK(model.size() == 2);
        CHECK(model.name() == "counting:1");
    }
    CachedModel model(real, folder.path("cache.jsonl"));
    CHECK(ask(model, "b").reply.text == "number 2");
    CHECK(real.asked == 2);
    struct stat status {};
    ::stat(folder.path("cache.jsonl").c_str(), &status);
    CHECK((status.st_mode & 0777) == 0600);
}
TEST_CASE("another model, prompt, stop or sampling is another request; a key, a budget or a listener is not") {
    const test::Folder folder;
    Counting real, other;
    other.called = "counting:2";
    CachedModel model(real, folder.path("c")), second(other, folder.path("c"));
    auto request = request_of("a");
    ask(model, request);
    request.key = "k";
    request.max_retries = 1;
    CHECK(ask(model, request).reply.cached);
    auto hot = request;
    hot.sampling.temperature = 1;
    CHECK_FALSE(ask(model, hot).reply.cached);
    auto stopped = request;
    stopped.stop = {"x"};
    CHECK_FALSE(ask(model, stopped).reply.cached);
    CHECK_FALSE(ask(second, request).reply.cached);
    CachedModel later(other, folder.path("c"));  // two processes share a file
    CHECK(ask(later, request).reply.cached);
    CHECK(later.size() == 4);
}
TEST_CASE("errors, refusals and what was cut off are asked for again") {
    const test::Folder folder;
    Counting real;
    CachedModel model(real, folder.path("c"));
    for (const auto finish : {FinishReason::refused, FinishReason::length, FinishReason::unknown}) {
        real.finish = finish;
        CHECK_FALSE(ask(model, "a").reply.cached);
    }
    CHECK_THROWS_AS(ask(model, "fail"), ModelError);
    real.finish = FinishReason::stop;
    CHECK_FALSE(ask(model, "a").reply.cached);
    CHECK(ask(model, "a").reply.cached);
}
TEST_CASE("no secret and no prompt reaches the file of a cache") {
    const test::Folder folder;
    Counting real;
    real.says = "the key is sk-canary-12345 ";
    {
        CachedModel model(real, folder.path("c"), {Secret("sk-canary-12345")});
        ask(model, "say it");
        CHECK_FALSE(ask(model, "say it").reply.cached);
        real.says = "harmless ";
        ask(model, "a question with sk-canary-12345");
        CHECK(ask(model, "a question with sk-canary-12345").reply.cached);
    }
    const auto text = folder.read("c");
    CHECK(text.find("canary") == text.npos);
    CHECK(text.find("question") == text.npos);
}
TEST_CASE("a cache never grows beyond its bound: the oldest replies make room, and no reply is half there") {
    const test::Folder folder;
    Counting real;
    real.says = std::string(1000, 'x');
    const CacheLimits limits{.bytes = 20000, .reply_bytes = 3000};
    CachedModel model(real, folder.path("c"), {}, limits);
    for (int i = 0; i < 100; ++i) {
        ask(model, std::to_string(i));
        CHECK(folder.read("c").size() <= limits.bytes);
    }
    CHECK(ask(model, "99").reply.cached);
    CHECK_FALSE(ask(model, "0").reply.cached);
    CHECK(folder.names() == std::vector<std::string>{"c"});
    real.says = std::string(4000, 'x');
    ask(model, "too long");
    CHECK_FALSE(ask(model, "too long").reply.cached);
    CachedModel again(real, folder.path("c"), {}, limits);
    CHECK(again.size() > 3);
    CHECK(ask(again, "99").reply.cached);
}
TEST_CASE("half a line and broken lines are forgotten; a file that is no cache is left alone") {
    const test::Folder folder;
    Counting real;
    {
        CachedModel model(real, folder.path("c"));
        ask(model, "a");
    }
    folder.write("c", folder.read("c") + "{\"broken\": }\n{\"key\": \"half");
    {
        CachedModel model(real, folder.path("c"));
        CHECK(model.size() == 1);
        CHECK(ask(model, "a").reply.cached);
        ask(model, "b");
    }
    CachedModel model(real, folder.path("c"));
    CHECK(model.size() == 2);
    folder.write("mine", "my letters\n");
    CHECK_THROWS_WITH_AS(CachedModel(real, folder.path("mine")), doctest::Contains("is no cache"), Error);
    CHECK(folder.read("mine") == "my letters\n");
    CHECK_THROWS_AS(CachedModel(real, folder.path("no/such/folder")), Error);
    CHECK_THROWS_AS(CachedModel(real, ""), Error);
    CHECK_THROWS_AS(CachedModel(real, folder.path("")), Error);
}
