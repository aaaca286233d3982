// Spans with a slow, refusing or missing collector.
#include "engine/spawn.hpp"
#include "engine/telemetry/exporter.hpp"
#include "engine/telemetry/span.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/telemetry/otlp.hpp"
#include <doctest/doctest.h>
#include <future>
#include <optional>
using namespace weft;
using namespace weft::telemetry;
using namespace std::chrono_literals;
using testing::always;
using testing::Peer;
using testing::RudeServer;

namespace {
const std::string secret = "canary-0123456789";
RudeServer::Session once(int status, std::string body, std::string headers = {}) {
    return [=](Peer& peer) {
        peer.read_request();
        peer.answer(status, body, headers + "Connection: close\r\n");
    };
}
std::string span(int number) {
    Span one;
    one.trace = "5b8efff798038103d269b633813fc60c";
    one.id = "eee19b7ec3c1b174";
    one.name = "span " + std::to_string(number);
    one.begin = one.end = 1;
    return otlp_text(one);
}
struct Sending {
    RudeServer server;
    testing::ManualClock clock;
    asio::io_context io{1};
    Runtime runtime{io.get_executor(), &clock};
    std::vector<std::string> warnings;
    TracerOptions options;
    std::unique_ptr<Exporter> exporter;
    explicit Sending(std::vector<RudeServer::Session> sessions) : server(std::move(sessions)) {
        options.endpoint = server.url("/v1/traces");
        options.headers = {{"api-key", secret}};
        options.seed = 1;
        options.warn = [this](const std::string& sentence) { warnings.push_back(sentence); };
    }
    void start() {
        exporter = std::make_unique<Exporter>(options);
        exporter->start(runtime);
    }
    void add(int count) {
        for (int i = 0; i < count; ++i) exporter->add(span(i));
    }
    Duration drive() {
        const auto began = clock.now();
        testing::drive(io, clock);
        return clock.now() - began;
    }
    bool flush(Duration within) {
        bool all = false;
        spawn(runtime, exporter->flush(within), [&](std::exception_ptr, bool sent) { all = sent; });
        drive();
        return all;
    }
    bool names_the_secret() const {
        for (const auto& warning : warnings)
            if (warning.find(secret) != warning.npos) return true;
        return false;
    }
};
}
TEST_CASE("spans wait for a delay and are sent in one request, with the configured headers and resource") {
    Sending sending({always(200, "{}")});
    sending.options.resource = {{"service.name", "shop"}, {"deployment.environment.name", "t\xc3\xa9st"}};
    sending.start();
    sending.add(3);
    CHECK(sending.exporter->counts().waiting == 3);
    CHECK(sending.drive() == 5s);
    const auto requests = sending.server.requests();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].find("\r\napi-key: " + secret + "\r\n") != std::string::npos);
    std::map<std::string, json> resource;
    CHECK(read_request(requests[0], &resource).size() == 3);
    CHECK(resource.at("service.name") == "shop");
    CHECK(resource.at("telemetry.sdk.name") == "weft");
    CHECK(resource.at("telemetry.sdk.language") == "cpp");
    CHECK_FALSE(resource.at("telemetry.sdk.version").get<std::string>().empty());
    CHECK(requests[0].find(R"("scope":{"name":"weft","version":")") != std::string::npos);
    CHECK(resource.at("deployment.environment.name") == "t\xc3\xa9st");
    CHECK(sending.exporter->counts().sent == 3);
    CHECK(sending.exporter->counts().waiting == 0);
}
TEST_CASE("a full batch is sent immediately, and no batch is larger") {
    Sending sending({always(200, "{}")});
    sending.options.batch = 4;
    sending.start();
    sending.add(9);
    sending.io.poll();
    while (sending.exporter->counts().sent < 9) sending.io.run_one();
    CHECK(sending.clock.now() == testing::ManualClock().now());
    std::vector<std::size_t> sizes;
    for (const auto& request : sending.server.requests()) sizes.push_back(read_request(request).size());
    CHECK(sizes == std::vector<std::size_t>{4, 4, 1});
}
TEST_CASE("a full queue drops and counts further spans") {
    Sending sending({always(200, "{}")});
    sending.options.queue = 5;
    sending.options.batch = 5;
    sending.start();
    sending.add(8);
    CHECK(sending.exporter->counts().dropped == 3);
    CHECK(sending.flush(1s));
    CHECK(sending.exporter->counts().sent == 5);
}
TEST_CASE("a request is repeated after a busy collector's time, or after growing pauses for a failing one") {
    Sending sending({once(429, "", "Retry-After: 7\r\n"), once(503, ""), once(502, ""), always(200, "{}")});
    sending.start();
    sending.add(1);
    const auto took = sending.drive();
    CHECK(sending.server.requests().size() == 4);
    CHECK(took >= 5s + 7s + 1s + 2s);
    CHECK(took < 5s + 7s + 2s + 4s);
    CHECK(sending.exporter->counts().sent == 1);
    CHECK(sending.warnings.empty());
}
TEST_CASE("a request is repeated at a busy collector's date, or after a pause when the date has passed") {
    for (const auto& [date, least, most] :
         {std::tuple("Thu, 01 Jan 2026 00:00:20 GMT", 12s, 16s), std::tuple("Sun, 06 Nov 1994 08:49:37 GMT", 5s, 7s)}) {
        Sending sending({once(429, "", "Retry-After: " + std::string(date) + "\r\n"), always(200, "{}")});
        sending.clock.jump_wall(WallTime(std::chrono::sys_days(std::chrono::January / 1 / 2026)) -
                                sending.clock.wall());
        sending.start();
        sending.add(1);
        const auto took = sending.drive();
        CHECK(took > 5s);
        CHECK(took >= least);
        CHECK(took <= most + 5s);
        CHECK(sending.exporter->counts().sent == 1);
    }
}
TEST_CASE("a refused request is not repeated, and its spans are dropped and counted") {
    Sending sending(
        {once(400, "no\r\n\x1b[31msuch key: " + secret + ", " + std::string(1000, 'x')), always(200, "{}")});
    sending.options.endpoint = sending.server.url("/v1/traces/v1/traces?key=" + secret);
    sending.options.headers = {{"authorization", "Bearer " + secret}};
    sending.start();
    sending.add(2);
    sending.drive();
    CHECK(sending.exporter->counts().dropped == 2);
    REQUIRE(sending.warnings.size() == 1);
    CHECK(
        sending.warnings[0].starts_with("traces could not be sent to " + sending.options.endpoint.origin() +
                                        "/v1/traces/v1/traces: it answered with status 400: no [31msuch key: ***, xx"));
    CHECK(sending.warnings[0].ends_with("xx...; 2 spans were dropped"));
    CHECK(sending.warnings[0].size() < 400);
    CHECK_FALSE(sending.names_the_secret());
    sending.add(1);
    sending.drive();
    CHECK(sending.exporter->counts().sent == 1);
}
TEST_CASE("a warning shows no key of the request, even as a part of another key and in any spelling") {
    const auto said = [](const std::string& answer) {
        Sending sending({once(400, answer)});
        sending.options.endpoint = sending.server.url("/v1/traces?key=ab%2Bcd%2Fef+gh");
        sending.options.headers = {{"first", "abcd"}, {"second", "abcdefgh"}};
        sending.start();
        sending.add(1);
        sending.drive();
        REQUIRE(sending.warnings.size() == 1);
        const std::string begin = "status 400", end = "; 1 span was dropped";
        REQUIRE(sending.warnings[0].ends_with(end));
        auto text = sending.warnings[0].substr(sending.warnings[0].find(begin) + begin.size());
        return text.substr(0, text.size() - end.size());
    };
    CHECK(said("no abcdefgh, abcd") == ": no ***, ***");
    CHECK(said("no ab+cd/ef gh, ab+cd/ef+gh, ab%2Bcd%2Fef+gh, ab%2Bcd%2Fef%20gh") == ": no ***, ***, ***, ***");
    CHECK(said(R"(no "ab+cd\/ef gh")") == R"(: no "***")");
    CHECK(said("no abcd\x01"
               "efgh") == ": no ***");
    CHECK(said("no abc\x01"
               "defgh") == ": no ***");
}
TEST_CASE("a warning quotes an answer's message when it is JSON, and omits it when it is a page") {
    const auto said = [](const std::string& answer) {
        Sending sending({once(401, answer)});
        sending.start();
        sending.add(1);
        sending.drive();
        REQUIRE(sending.warnings.size() == 1);
        return sending.warnings[0].substr(sending.warnings[0].find("status"));
    };
    for (const auto* answer : {R"({"code":16,"message":"no key"})", R"({"error":"no key"})",
                               R"({"error":{"code":401,"message":"no key"}})", "no key"})
        CHECK(said(answer) == "status 401: no key; 1 span was dropped");
    for (const auto* page : {"<html><body>no</body></html>", "\n <!DOCTYPE html>", "\xEF\xBB\xBF<html>", ""})
        CHECK(said(page) == "status 401; 1 span was dropped");
    CHECK(said(R"({"errors":[1]})") == R"(status 401: {"errors":[1]}; 1 span was dropped)");
}
TEST_CASE("the exporter counts spans that a collector rejects, and accepts any other answer") {
    Sending sending({once(200, R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}})"),
                     once(200, R"({"partialSuccess":{"rejectedSpans":"99999999999"}})"),
                     once(200, R"({"partialSuccess":[[]]})"), always(200, "no JSON")});
    sending.start();
    for (int i = 0; i < 4; ++i) {
        sending.add(3);
        sending.drive();
    }
    CHECK(sending.exporter->counts().rejected == 5);
    CHECK(sending.exporter->counts().sent == 7);
    CHECK(sending.warnings == std::vector<std::string>{"the collector " + sending.options.endpoint.origin() +
                                                       " has rejected 2 of 3 spans: no"});
}
TEST_CASE("a collector's rejection or warning is one line, whatever spelling and characters it has") {
    const auto warning_of = [](const std::string& answer) {
        Sending sending({once(200, answer)});
        sending.start();
        sending.add(3);
        sending.drive();
        REQUIRE(sending.warnings.size() == 1);
        return sending.warnings[0];
    };
    CHECK(warning_of(R"({"partial_success":{"rejected_spans":1,"error_message":"a\nb\u001b[31m"}})")
              .ends_with(" has rejected 1 of 3 spans: a b [31m"));
    CHECK(warning_of(R"({"partialSuccess":{"rejectedSpans":"0","errorMessage":"soon gone"}})")
              .ends_with(" has taken the spans with a warning: soon gone"));
    CHECK(warning_of(R"({"partialSuccess":{"rejectedSpans":3}})").ends_with(" has rejected 3 of 3 spans"));
}
TEST_CASE("a missing collector costs a bounded time and a warning a minute, which shows no secret") {
    Sending sending({always(200, "{}")});
    sending.options.endpoint = net::parse_url("http://127.0.0.1:1/v1/traces?key=" + secret);
    sending.start();
    sending.add(1);
    CHECK(sending.drive() <= 5s + 30s);
    sending.add(1);
    sending.drive();
    CHECK(sending.exporter->counts().dropped == 2);
    CHECK(sending.warnings.size() == 1);
    CHECK_FALSE(sending.names_the_secret());
}
TEST_CASE("a flush sends immediately, and ends in its time even when the collector hangs") {
    Sending good({always(200, "{}")});
    good.start();
    good.add(3);
    CHECK(good.flush(5s));
    CHECK(good.exporter->counts().sent == 3);
    CHECK(good.flush(5s));

    Sending hangs({[](Peer& peer) {
        peer.read_request();
        peer.wait_for_end();
    }});
    hangs.runtime.clock = &real_clock();  // a manual clock stands still during a wait for a socket
    hangs.start();
    hangs.add(3);
    std::optional<bool> all;
    spawn(hangs.runtime, hangs.exporter->flush(50ms), [&](std::exception_ptr, bool sent) { all = sent; });
    while (!all) hangs.io.run_one();
    CHECK_FALSE(*all);
    CHECK(hangs.exporter->counts().dropped == 3);
    const auto where = "traces could not be sent to " + hangs.options.endpoint.origin() + "/v1/traces: ";
    CHECK(hangs.warnings == std::vector<std::string>{where + "it did not answer in time; 3 spans were dropped"});
}
TEST_CASE("a flush drops no span of another flush when it ends before that") {
    std::promise<void> over;
    Sending slow({[&](Peer& peer) {
        peer.read_request();
        over.get_future().wait();
        peer.answer(200, "{}", "Connection: close\r\n");
    }});
    slow.runtime.clock = &real_clock();  // a manual clock stands still during a wait for a socket
    slow.options.schedule_delay = 0ms;
    slow.start();
    slow.add(3);
    while (slow.exporter->counts().waiting > 0) slow.io.run_one();
    std::optional<bool> all;
    spawn(slow.runtime, slow.exporter->flush(50ms), [&](std::exception_ptr, bool sent) { all = sent; });
    while (!all) slow.io.run_one();
    CHECK_FALSE(*all);
    CHECK(slow.exporter->counts().dropped == 0);
    REQUIRE(slow.warnings.size() == 1);
    CHECK(slow.warnings[0].ends_with("/v1/traces: it did not answer in time; 3 spans were not sent in time"));
    over.set_value();
    while (slow.exporter->counts().sent < 3) slow.io.run_one();
    CHECK(slow.exporter->counts().dropped == 0);
    CHECK(slow.warnings.size() == 1);
}
TEST_CASE("a flush reports once how many spans are lost, and why, when a warning before it was recent") {
    Sending sending({always(400, "first")});
    sending.options.batch = 2;
    sending.options.queue = 3;
    sending.start();
    sending.add(1);
    sending.drive();
    CHECK(sending.warnings.size() == 1);
    sending.add(5);  // two have no room
    CHECK_FALSE(sending.flush(1s));
    CHECK(sending.exporter->counts().dropped == 6);
    REQUIRE(sending.warnings.size() == 2);
    CHECK(sending.warnings[0].ends_with("/v1/traces: it answered with status 400: first; 1 span was dropped"));
    CHECK(sending.warnings[1].ends_with("/v1/traces: it answered with status 400: first; 5 spans were dropped"));
    sending.flush(1s);
    CHECK(sending.warnings.size() == 2);
}
TEST_CASE("a flush reports why spans are lost when it ends before the request is repeated") {
    Sending sending({always(503, "down")});
    sending.start();
    sending.add(3);
    CHECK_FALSE(sending.flush(500ms));
    REQUIRE(sending.warnings.size() == 1);
    CHECK(sending.warnings[0].ends_with(": it answered with status 503: down; 3 spans were dropped"));
}
TEST_CASE("an exporter without a runtime keeps what its queue holds, and sends it when it is started") {
    Sending sending({always(200, "{}")});
    sending.exporter = std::make_unique<Exporter>(sending.options);
    sending.add(2);
    CHECK(sending.exporter->counts().waiting == 2);
    sending.exporter->start(sending.runtime);
    sending.drive();
    CHECK(sending.exporter->counts().sent == 2);
}
TEST_CASE("an exporter may outlive its runtime, and a runtime its exporter") {
    Sending sending({always(200, "{}")});
    {
        asio::io_context gone{1};
        sending.exporter = std::make_unique<Exporter>(sending.options);
        sending.exporter->start(Runtime{gone.get_executor(), &sending.clock});
        sending.add(1);
        gone.poll();
    }
    sending.add(1);
    CHECK(sending.exporter->counts().waiting == 2);
    sending.start();
    sending.add(1);
    sending.exporter.reset();
    sending.drive();  // pending spans are sent
    CHECK(sending.server.requests().size() == 1);
}
