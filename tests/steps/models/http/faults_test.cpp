// Calls to misbehaving servers: one row of the table for each kind of fault.
#include "tests/steps/models/asking.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using testing::Peer;
using testing::RudeServer;

namespace {
using Sessions = std::vector<RudeServer::Session>;
const auto good = once(200, whole_reply);

struct Row {
    const char* title;
    Sessions sessions;
    std::optional<FaultKind> kind;  // empty: an answer
    int connections = 1;
    Duration least = 0s, most = 1s;  // bounds of the wait
    const char* says = "";           // a part of the error
};
/// Returns the differences from the expectation, or an empty text.
std::string judge(const Row& row) {
    RudeServer server(row.sessions);
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    const auto asked = ask(model, clock);
    const std::string got = std::string(row.title) + ": " + asked.error + asked.reply.text + " after " +
                            std::to_string(server.connections()) + " connections and " + in_seconds(asked.waited);
    const bool ended = row.kind ? asked.failure && asked.failure->kind() == *row.kind : asked.reply.text == "42";
    const bool sound = ended && server.connections() == row.connections && asked.waited >= row.least &&
                       asked.waited <= row.most && asked.error.find(row.says) != std::string::npos &&
                       asked.shown().find(canary) == std::string::npos &&
                       asked.notes.size() == static_cast<std::size_t>(row.connections - 1);
    return sound ? "" : got;
}
std::string said(const std::string& members) { return R"({"error":{"message":"oh )" + canary + "\"," + members + "}}"; }

const Row limits[] = {
    {"429 with Retry-After in seconds", {once(429, "", "Retry-After: 2\r\n"), good}, {}, 2, 2s, 3s},
    {"429 with a date", {once(429, "", "Retry-After: Thu, 01 Jan 2026 00:00:10 GMT\r\n"), good}, {}, 2, 10s, 11s},
    {"429 with retry-after-ms, which comes first",
     {once(429, "", "Retry-After: 50\r\nretry-after-ms: 1500\r\n"), good},
     {},
     2,
     1500ms,
     2s},
    {"429 with RetryInfo",
     {once(429, said(R"("status":"RESOURCE_EXHAUSTED","details":[{"@type":"x/RetryInfo","retryDelay":"17s"}])")), good},
     {},
     2,
     17s,
     18s},
    {"429 without, an HTML page", {once(429, "<html>slow down</html>"), good}, {}, 2, 250ms, 300ms},
    {"429 that asks to wait for too long",
     {once(429, "", "Retry-After: 3600\r\n"), good},
     FaultKind::throttled,
     1,
     0s,
     0s,
     "it asks to wait 3600 s before the next try"},
    {"429 again and again", {once(429, "")}, FaultKind::throttled, 3, 750ms, 1s, "tried 3 times"},
    {"429 with no money left",
     {once(429, said(R"("code":"insufficient_quota")")), good},
     FaultKind::permanent,
     1,
     0s,
     0s,
     "no credit left (429)"},
    {"429 with the spend limit reached",
     {once(429, said(R"("type":"enforced_spend_limit_reached")")), good},
     FaultKind::permanent,
     1,
     0s,
     0s,
     "no credit left"},
    {"429 with no money left, though the server says to try again",
     {once(429, said(R"("code":"insufficient_quota")"), "x-should-retry: true\r\n"), good},
     FaultKind::permanent,
     1,
     0s,
     0s},
    {"402", {once(402, ""), good}, FaultKind::permanent, 1, 0s, 0s, "no credit left (402)"},
    {"429 with the quota of the day used up",
     {once(429, said(R"("status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"RequestsPerDayFree"}]},)"
                     R"({"retryDelay":"17s"}])")),
      good},
     FaultKind::permanent,
     1,
     0s,
     0s,
     "no quota left for today (429)"},
};
const Row passing[] = {
    {"408", {once(408, ""), good}, {}, 2},
    {"409", {once(409, ""), good}, {}, 2},
    {"500 twice, then 200", {once(500, "oops"), once(500, ""), good}, {}, 3, 750ms, 1s},
    {"502", {once(502, "<html></html>"), good}, {}, 2},
    {"503", {once(503, ""), good}, {}, 2},
    {"504", {once(504, ""), good}, {}, 2},
    {"529, with a longer wait", {once(529, said(R"("type":"overloaded_error")")), good}, {}, 2, 1500ms, 1500ms},
    {"503 for ever",
     {once(503, said(R"("code":"unavailable")"))},
     FaultKind::transient,
     3,
     750ms,
     1s,
     "openai:m failed (503): oh ***; tried 3 times"},
    {"500 that is not to be tried again",
     {once(500, "", "x-should-retry: false\r\n"), good},
     FaultKind::transient,
     1,
     0s,
     0s},
    {"400 that is to be tried again", {once(400, "", "x-should-retry: true\r\n"), good}, {}, 2},
    {"a connection that ends before an answer", {[](Peer& peer) { peer.read_request(); }, good}, {}, 2},
    {"no answer, ever",
     {[](Peer& peer) { peer.read_request(), peer.reset(); }},
     FaultKind::unknown_outcome,
     3,
     750ms,
     1s},
    {"what is not HTTP",
     {[](Peer& peer) { peer.read_request(), peer.send("220 smtp ready\r\n\r\n"); }},
     FaultKind::unknown_outcome,
     3,
     750ms,
     1s},
    {"a body that ends too early",
     {[](Peer& peer) { peer.read_request(), peer.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"cho"); }, good},
     {},
     2},
    {"a stream that breaks off before any text", {stream("data: {\"choi", false), good}, {}, 2},
    {"a stream without its end, before any text",
     {stream("data: {}\n\n", true)},
     FaultKind::truncated,
     2,
     250ms,
     300ms,
     "broke off its reply before the end; tried 2 times"},
    {"a reply without choices",
     {once(200, R"({"choices":[]})")},
     FaultKind::truncated,
     2,
     250ms,
     300ms,
     "without choices; tried 2 times"},
    {"broken JSON", {once(200, R"({"choices":[)")}, FaultKind::truncated, 2, 250ms, 300ms, "sent broken JSON"},
    {"an error object in a stream",
     {stream("data: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n", true), good},
     {},
     2},
    {"an error object in a stream, overloaded",
     {stream("data: {\"error\":{\"message\":\"busy\",\"type\":\"overloaded_error\"}}\n\n", true), good},
     {},
     2,
     1500ms,
     1500ms},
};
const Row final_ones[] = {
    {"400", {once(400, said(R"("param":"x")")), good}, FaultKind::permanent, 1, 0s, 0s, "check the model's name"},
    {"401, whose body repeats the key",
     {once(401, said(R"("code":"invalid_api_key")")), good},
     FaultKind::permanent,
     1,
     0s,
     0s,
     "set OPENAI_API_KEY"},
    {"403", {once(403, ""), good}, FaultKind::permanent, 1, 0s, 0s, "may do"},
    {"404", {once(404, ""), good}, FaultKind::permanent, 1, 0s, 0s, "the base URL"},
    {"407",
     {once(407, "<p>x"), good},
     FaultKind::permanent,
     1,
     0s,
     0s,
     "the environment variable that names the proxy"},
    {"413", {once(413, ""), good}, FaultKind::permanent, 1, 0s, 0s, "shorten it"},
    {"422",
     {once(422, R"({"detail":"no"})"), good},
     FaultKind::permanent,
     1,
     0s,
     0s,
     "did not accept the request (422)"},
    {"a filter",
     {once(400, said(R"("code":"content_filter")")), good},
     FaultKind::refused,
     1,
     0s,
     0s,
     "will not reply"},
    {"a redirect",
     {once(307, "", "Location: https://elsewhere/\r\n"), good},
     FaultKind::permanent,
     1,
     0s,
     0s,
     "give that as the base URL"},
    {"a web page",
     {once(200, "<html>", "Content-Type: text/html\r\n"), good},
     FaultKind::permanent,
     1,
     0s,
     0s,
     "web page"},
    {"a stream that breaks off after text",
     {stream(event("4"), false), good},
     FaultKind::truncated,
     1,
     0s,
     0s,
     "a part of its reply had been shown, so it was not asked again"},
    {"a stream without its end, after text",
     {stream(event("4"), true), good},
     FaultKind::truncated,
     1,
     0s,
     0s,
     "a part of its reply had been shown"},
    {"an error object after text",
     {stream(event("4") + "data: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n", true), good},
     FaultKind::transient,
     1,
     0s,
     0s,
     "a part of its reply had been shown"},
    {"an error object in a stream that stays",
     {stream("data: {\"error\":{\"message\":\"x\",\"type\":\"invalid_request_error\"}}\n\n", true), good},
     FaultKind::permanent,
     1,
     0s,
     0s},
};
template <std::size_t n> void check(const Row (&rows)[n]) {
    for (const auto& row : rows) {
        const auto wrong = judge(row);
        CHECK_MESSAGE(wrong.empty(), wrong);
    }
}
}

TEST_CASE("a 429 is retried after the server's wait, else a short one, and never when credit is exhausted") {
    check(limits);
}
TEST_CASE("a 408, 409, 5xx, 529, reset, broken body or late error object is retried until it passes") {
    check(passing);
}
TEST_CASE("a fault is final when it is another 4xx, a filter, a redirect, or comes after delivered text") {
    check(final_ones);
}
TEST_CASE("an error after text has that text, and names model, server and request") {
    RudeServer server({[](Peer& peer) {
        peer.read_request();
        const std::string part = event("4") + R"(data: {"error":{"message":"x","type":"overloaded_error"}})"
                                              "\n\n";
        peer.send("HTTP/1.1 200 OK\r\nx-request-id: req_7\r\nContent-Type: text/event-stream\r\nContent-Length: " +
                  std::to_string(part.size()) + "\r\n\r\n" + part);
    }});
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    const auto asked = ask(model, clock);
    REQUIRE(asked.failure);
    const auto& details = asked.failure->details();
    CHECK(details.partial + "|" + details.provider_code + "|" + details.request_id + "|" +
              std::to_string(details.attempts) ==
          "4|overloaded_error|req_7|1");
}
TEST_CASE("a caller with restarts gets the whole reply again, and a note that the earlier text is void") {
    RudeServer server({stream(event("wrong"), false), stream(event("42", "\"stop\"") + "data: [DONE]\n\n", true)});
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    const auto asked = ask(model, clock, {.restart = true});
    CHECK(asked.text == "42");
    CHECK(asked.reply.attempts == 2);
    REQUIRE(asked.notes.size() == 1);
    CHECK(asked.notes[0].kind == CallNote::Kind::restart);
}
TEST_CASE("a request bounds retries and time, and no wait begins that exceeds them") {
    RudeServer server({once(503, "")});
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    CHECK(ask(model, clock, {.max_retries = 0}).error == "openai:m failed (503)");
    CHECK(ask(model, clock, {.max_retries = 1}).error == "openai:m failed (503); tried 2 times");
    const auto late = ask(model, clock, {.time_left = 100ms});
    CHECK(late.error == "openai:m failed (503); the next try, after 1 s, would come too late for this run");
    CHECK(late.waited == 0s);
}
namespace {
/// Returns the idempotency keys of received requests.
std::vector<std::string> keys_in(const RudeServer& server) {
    std::vector<std::string> keys;
    for (const auto& request : server.requests()) {
        const auto at = request.find("Idempotency-Key: ");
        REQUIRE(at != std::string::npos);
        keys.push_back(request.substr(at, request.find("\r\n", at) - at));
    }
    return keys;
}
}
TEST_CASE("all attempts of a call have one idempotency key, and each call its own") {
    RudeServer server({once(500, ""), good, good});
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    ask(model, clock);
    ask(model, clock);
    const auto keys = keys_in(server);
    REQUIRE(keys.size() == 3);
    CHECK(keys[0] == keys[1]);
    CHECK(keys[1] != keys[2]);
}
TEST_CASE("a caller's key gives the same idempotency key in another process, but not with another body") {
    RudeServer server({once(500, ""), good, good, good, good});
    testing::ManualClock clock;
    const auto asked = [&](std::string key, std::string text) {
        HttpModel model(options_for(server));  // a new process, without data of the one before
        ChatRequest request;
        request.messages = {user(std::move(text))};
        request.key = std::move(key);
        CHECK(ask(model, clock, std::move(request)).reply.text == "42");
    };

    asked("run 1/7", "6 * 7?");  // in two attempts
    asked("run 1/7", "6 * 7?");
    asked("run 1/7", "And 6 * 8?");
    asked("run 1/8\r\nX-Other: 1", "6 * 7?");

    const auto keys = keys_in(server);
    REQUIRE(keys.size() == 5);
    CHECK(keys[0].size() == std::string("Idempotency-Key: weft-0123456789abcdef-0123456789abcdef").size());
    CHECK(keys[0] == keys[1]);
    CHECK(keys[0] == keys[2]);
    CHECK(keys[0] != keys[3]);
    CHECK(keys[0] != keys[4]);
    CHECK(keys[3] != keys[4]);
    CHECK(server.requests().back().find("X-Other") == std::string::npos);
}
TEST_CASE("a server without tool calls is recognised when a request has tools") {
    for (const auto& [status, body] :
         {std::pair{400, R"({"error":"registry.ollama.ai/library/x does not support tools"})"},
          {500, R"({"error":{"code":500,"message":"tools param requires --jinja flag"}})"},
          {500, R"({"error":{"code":500,"message":"Unsupported param: tools","type":"server_error"}})"},
          {400, R"({"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser"})"},
          {404, R"({"error":{"message":"No endpoints found that support tool use. Try another","code":404}})"},
          {400, R"({"error":{"message":"`tools` is not supported with this model"}})"},
          {200, R"({"error":{"message":"Function calling is not enabled for models/x"}})"}}) {
        RudeServer server({once(status, body)});
        HttpModel model(options_for(server));
        testing::ManualClock clock;
        const std::string said = body;
        CHECK_MESSAGE(ask(model, clock, {.tools = {{"add", "", "{}"}}}).form == "tools", said);
        CHECK_MESSAGE(ask(model, clock).form == "", said);
    }
}
