// The cache of replies: equal requests, kept replies, and the cache's file.
#include "engine/testing/await.hpp"
#include "steps/models/fallback.hpp"
#include "steps/models/model_error.hpp"
#include "steps/models/recording/cache.hpp"
#include "tests/steps/models/asking.hpp"
#include "tests/support/folder.hpp"
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
using namespace weft;
using namespace weft::models;

namespace {
struct Counting final : ChatModel {
    int asked = 0;
    std::string called = "counting:1", says = "number ";
    FinishReason finish = FinishReason::stop;
    bool is_down = false;
    using ChatModel::chat;
    std::string name() const override { return called; }
    awaitable<ChatReply> chat(const ChatRequest& request, const OnDelta& on_delta) override {
        if (is_down || request.messages.back().content == "fail") {
            ModelError::Details details;
            details.kind = FaultKind::transient;
            throw ModelError(Code::model_failed, "busy", details);
        }
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
std::shared_ptr<ChatModel> not_owned(ChatModel& model) {
    return std::shared_ptr<ChatModel>(std::shared_ptr<ChatModel>(), &model);
}
unsigned mode_of(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 0777;
}
}

TEST_CASE("a repeated request is sent once, also in another process; a cached reply costs nothing and is marked") {
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
    CHECK(mode_of(folder.path("cache.jsonl")) == 0600);
}
TEST_CASE("a request differs by model, prompt, stop or sampling, and not by key, budget or listener") {
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
TEST_CASE("requests with errors, refusals and truncated replies are sent again") {
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
TEST_CASE("a cache file has no secret and no prompt") {
    const test::Folder folder;
    Counting real;
    real.says = "the key is sk-canary-12345 ";
    {
        CachedModel model(real, folder.path("c"), {Secret("sk-canary-12345")});
        ask(model, "say it");
        CHECK_FALSE(ask(model, "say it").reply.cached);
        real.says = "harmless ";
        ask(model, "my wish, with sk-canary-12345");
        CHECK(ask(model, "my wish, with sk-canary-12345").reply.cached);
    }
    const auto text = folder.read("c");
    CHECK(text.find("canary") == text.npos);
    CHECK(text.find("wish") == text.npos);
}
TEST_CASE("a cache never exceeds its bound: the oldest replies are dropped, and no reply is partly kept") {
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
TEST_CASE("partial and broken lines are ignored, and a file that is not a cache stays unchanged") {
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
    CHECK_THROWS_WITH_AS(CachedModel(real, folder.path("mine")), doctest::Contains("is not a cache"), Error);
    CHECK(folder.read("mine") == "my letters\n");
    CHECK_THROWS_AS(CachedModel(real, folder.path("no/such/folder")), Error);
    CHECK_THROWS_AS(CachedModel(real, ""), Error);
    CHECK_THROWS_AS(CachedModel(real, folder.path("")), Error);
}
TEST_CASE("a cache file removed under a running process is made again, and a replaced one stays unchanged") {
    const test::Folder folder;
    Counting real;
    CachedModel model(real, folder.path("c"));
    ask(model, "a");
    std::filesystem::remove(folder.path("c"));
    CHECK(ask(model, "b").notes.empty());
    CHECK(CachedModel(real, folder.path("c")).size() == 1);
    folder.write("c", "{\"weft_");  // a process killed at its begin
    CHECK(ask(model, "c").notes.empty());
    CachedModel later(real, folder.path("c"));
    CHECK(later.size() == 1);
    CHECK(ask(later, "c").reply.cached);
    folder.write("c", "my letters\n");
    const auto refused = ask(model, "d");
    CHECK(refused.reply.text == "number 4");
    REQUIRE(refused.notes.size() == 1);
    CHECK(refused.notes[0].text.find("is not a cache") != std::string::npos);
    CHECK(folder.read("c") == "my letters\n");
}
TEST_CASE("a request is sent again when its reply could not be written") {
    const test::Folder folder;
    Counting real;
    CachedModel model(real, folder.path("c"));
    folder.write("c", "my letters\n");
    ask(model, "a");
    CHECK(model.size() == 0);
    CHECK_FALSE(ask(model, "a").reply.cached);
}
TEST_CASE("a refused file keeps its mode, and a cache readable by others does not") {
    const test::Folder folder;
    Counting real;
    folder.write("mine", "my letters\n");
    ::chmod(folder.path("mine").c_str(), 0664);
    CHECK_THROWS_AS(CachedModel(real, folder.path("mine")), Error);
    CHECK(mode_of(folder.path("mine")) == 0664);
    folder.write("c", "{\"weft_cache\": 1}\n");
    ::chmod(folder.path("c").c_str(), 0664);
    const CachedModel model(real, folder.path("c"));
    CHECK(mode_of(folder.path("c")) == 0600);
}
TEST_CASE("a process waits for another one with the file no longer than the limit") {
    const test::Folder folder;
    Counting real;
    const CacheLimits hasty{.lock_wait = std::chrono::milliseconds(0)};
    CachedModel model(real, folder.path("c"), {}, hasty);
    const int held = ::open(folder.path("c").c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(::flock(held, LOCK_EX) == 0);
    CHECK_THROWS_WITH_AS(CachedModel(real, folder.path("c"), {}, hasty), doctest::Contains("holds its lock"), Error);
    const auto told = ask(model, "a");
    CHECK(told.reply.text == "number 1");
    REQUIRE(told.notes.size() == 1);
    CHECK(told.notes[0].text.find("holds its lock") != std::string::npos);
    ::close(held);
    ask(model, "a");
    CHECK(ask(model, "a").reply.cached);
}
TEST_CASE("a fallback's reply is never cached as the reply of the first model") {
    const test::Folder folder;
    Counting first, second;
    first.called = "first:1";
    second.called = "second:1";
    first.says = "first ";
    second.says = "second ";
    first.is_down = true;
    const auto cached = std::make_shared<CachedModel>(not_owned(first), folder.path("c"));
    FallbackModel each({cached, std::make_shared<CachedModel>(not_owned(second), *cached)});
    CHECK(ask(each, "a").reply.text == "second 1");
    const auto again = ask(each, "a").reply;
    CHECK(again.text == "second 1");
    CHECK(again.answered_by == "second:1");
    CHECK(again.cached);
    first.is_down = false;
    CHECK(ask(each, "a").reply.text == "first 1");
    CHECK(ask(each, "a").reply.answered_by == "first:1");
    CHECK(cached->size() == 2);
    FallbackModel both({not_owned(first), not_owned(second)});
    CachedModel around(both, folder.path("d"));
    first.is_down = true;
    CHECK(ask(around, "a").reply.text == "second 2");
    first.is_down = false;
    CHECK(ask(around, "a").reply.text == "first 2");
    CHECK(around.size() == 0);
}
TEST_CASE("a model's name at another address or protocol is another model") {
    const test::Folder folder;
    testing::RudeServer here({once(200, whole_reply)}), there({once(200, whole_reply)});
    const auto asked = [&](const testing::RudeServer& server) {
        HttpModel model(options_for(server));
        CachedModel cached(model, folder.path("c"));
        return ask(cached, "a").reply.cached;
    };
    CHECK_FALSE(asked(here));
    CHECK(asked(here));
    CHECK_FALSE(asked(there));
    CHECK(asked(there));
}
TEST_CASE("the replies in memory have the bound of the file, whatever other processes write") {
    const test::Folder folder;
    Counting real, other;
    other.called = "other:1";
    real.says = other.says = std::string(1000, 'x');
    const CacheLimits limits{.bytes = 20000, .reply_bytes = 3000};
    CachedModel model(real, folder.path("c"), {}, limits), second(other, folder.path("c"), {}, limits);
    for (int i = 0; i < 100; ++i) {
        ask(model, std::to_string(i));
        ask(second, std::to_string(i));
        std::filesystem::remove(folder.path("c"));
        CHECK(model.size() < 20);
    }
    CHECK(model.size() > 8);
    CHECK(ask(model, "99").reply.cached);
    CHECK_FALSE(ask(model, "0").reply.cached);
}
