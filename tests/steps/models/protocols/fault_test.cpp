#include "engine/net/net_error.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include "steps/models/secret.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {
const ProviderHints hints{"OPENAI_API_KEY", "check the name", "start it", "check the address"};
Fault of(unsigned status, std::string_view body = {}) {
    return judge(ResponseHead{.status = status, .body = body}, hints, Secret(), {});
}
bool says(const Fault& fault, const char* part) { return std::string(fault.what()).find(part) != std::string::npos; }
}

TEST_CASE("temporary statuses are retried, the others are not") {
    for (unsigned status : {408, 409, 429, 500, 502, 503, 504, 529}) CHECK(of(status).retries == Fault::any);
    for (unsigned status : {301, 307, 400, 401, 402, 403, 404, 405, 413, 422, 204}) CHECK(of(status).retries == 0);
    for (unsigned status : {400, 401, 402, 403, 404, 413, 422, 429}) CHECK(of(status).code == Code::model_refused);
    for (unsigned status : {408, 500, 503}) CHECK(of(status).code == Code::model_failed);
}
TEST_CASE("a limit of money is final") {
    for (const char* body :
         {R"({"error":{"code":"insufficient_quota","message":"You exceeded your quota"}})",
          R"({"error":{"type":"insufficient_quota"}})", R"({"error":{"code":"billing_hard_limit_reached"}})"}) {
        CHECK(of(429, body).retries == 0);
        CHECK(says(of(429, body), "no credit"));
    }
    CHECK(of(429, R"({"error":{"code":"rate_limit_exceeded","message":"insufficient_quota"}})").retries == Fault::any);
    CHECK(of(429, "<html>insufficient_quota</html>").retries == Fault::any);
}
TEST_CASE("a refused key is never shown, whatever the server's message") {
    const auto fault = of(401, R"({"error":{"message":"Incorrect API key provided: sk-12345"}})");
    CHECK_FALSE(says(fault, "sk-1"));
    CHECK(says(fault, "OPENAI_API_KEY"));
    CHECK_FALSE(says(fault, "base URL"));
    CHECK(
        says(of(401, R"({"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API )"
                     R"(endpoint. Make sure to use a correct regional API endpoint for your resource."}})"),
             ", or check the base URL"));
}
TEST_CASE("an error blames the address when a server sends a greeting instead of a reply") {
    const auto fault = judge_text("Ollama is running", hints, Secret());
    CHECK(std::string(fault.what()) == "answered with no reply: Ollama is running; check the address");
    CHECK(fault.retries == 0);
}
TEST_CASE("words of the server are quoted in part, on one line, without escapes") {
    CHECK(says(of(400, R"({"error":{"message":"bad\n\u001b[31mfield"}})"), "(400): bad [31mfield;"));
    CHECK(says(of(400, R"({"error":"plain words"})"), ": plain words;"));
    CHECK(says(of(422, R"({"detail":"no model"})"), ": no model;"));
    CHECK(says(of(422, R"({"problem":"no model","code":"x","type":"y"})"), ": no model;"));
    CHECK(says(of(422, R"({"problem":"no model","cure":"another"})"), R"({"cure":"another","problem":"no model"})"));
    CHECK(says(of(500, "text \x1b]52;c;x\x07"), "failed (500): text ]52;c;x"));
    CHECK_FALSE(says(of(502, "<html>Bad gateway</html>"), "html"));
    CHECK(std::string(of(400, std::string(100000, 'x')).what()).size() < 500);
    for (const char* odd :
         {"{", "[]", "{}", R"({"error":null})", R"({"error":[1]})", "\xff\xfe", "{\"error\":{\"message\":7}}"})
        CHECK(says(of(500, odd), "failed (500)"));
}
TEST_CASE("a server's statement on retries overrides the status") {
    ResponseHead answer{.status = 400, .told = 2s, .should_retry = "true"};
    CHECK(judge(answer, hints, Secret(), {}).retries == Fault::any);
    CHECK(judge(answer, hints, Secret(), {}).floor == 2000ms);
    answer.status = 503, answer.should_retry = "false";
    CHECK(judge(answer, hints, Secret(), {}).retries == 0);
}
TEST_CASE("an error object without a status is judged by its code") {
    const auto of_object = [](const char* text) { return judge_error_object(json::parse(text), hints, Secret()); };
    CHECK(of_object(R"({"type":"rate_limit_error"})").retries == Fault::any);
    CHECK(of_object(R"({"code":"insufficient_quota"})").retries == 0);
    CHECK(of_object(R"({"type":"invalid_request_error","message":"x"})").code == Code::model_refused);
    CHECK(of_object(R"({"type":"authentication_error"})").code == Code::model_refused);
    CHECK(of_object(R"({"code":429,"message":"slow"})").code == Code::model_refused);
    CHECK(of_object(R"({"code":99999999999,"message":"x"})").code == Code::model_failed);
}
TEST_CASE("failures of the network are retried unless they are permanent") {
    const auto retries = [](net::Failure failure, net::TimeoutPhase phase = net::TimeoutPhase::none) {
        return judge(net::NetError(failure, "sentence", phase), hints).retries;
    };
    for (auto failure : {net::Failure::connect, net::Failure::name_service, net::Failure::tls_failed,
                         net::Failure::reset, net::Failure::truncated, net::Failure::protocol})
        CHECK(retries(failure) == Fault::any);
    CHECK(retries(net::Failure::timed_out, net::TimeoutPhase::idle) == Fault::any);
    CHECK(retries(net::Failure::timed_out, net::TimeoutPhase::total) == 0);
    CHECK(retries(net::Failure::name_lookup) == 1);
    CHECK(retries(net::Failure::tls_refused) == 0);
    CHECK(retries(net::Failure::proxy_refused) == 0);
    CHECK(retries(net::Failure::too_large) == 0);
}
TEST_CASE("errors of every protocol have their code and the request's id") {
    struct Row {
        unsigned status;  // 0: an error object in a stream
        const char* body;
        FaultKind kind;
        int retries;
        const char *code, *id;
    };
    using enum FaultKind;
    const Row rows[] = {
        {429, R"({"error":{"message":"m","type":"tokens","param":null,"code":"rate_limit_exceeded"}})", throttled,
         Fault::any, "rate_limit_exceeded", ""},
        {429, R"({"error":{"type":"insufficient_quota","code":"insufficient_quota"}})", permanent, 0,
         "insufficient_quota", ""},
        {0, R"({"type":"error","code":"rate_limit_exceeded","message":"m"})", throttled, Fault::any,
         "rate_limit_exceeded", ""},
        {0, R"({"code":"server_error","message":"m"})", transient, Fault::any, "server_error", ""},
        {0, R"({"code":"invalid_prompt","message":"m"})", permanent, 0, "invalid_prompt", ""},
        {529, R"({"type":"error","error":{"type":"overloaded_error","message":"m"},"request_id":"req_1"})", transient,
         Fault::any, "overloaded_error", "req_1"},
        {0, R"({"type":"error","error":{"type":"overloaded_error","message":"m"},"request_id":"req_2"})", transient,
         Fault::any, "overloaded_error", "req_2"},
        {0, R"({"type":"api_error","message":"m"})", transient, Fault::any, "api_error", ""},
        {0, R"({"type":"permission_error","message":"m"})", permanent, 0, "permission_error", ""},
        {0, R"({"type":"request_too_large","message":"m"})", permanent, 0, "request_too_large", ""},
        {0, R"({"type":"billing_error","message":"m"})", permanent, 0, "billing_error", ""},
        {400, R"({"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}})", permanent, 0,
         "invalid_request_error", ""},
        {404, R"({"error":"model 'x' not found"})", permanent, 0, "", ""},
        {500, R"({"error":"model runner has unexpectedly stopped"})", transient, Fault::any, "", ""},
        {503, R"([{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}])", transient, Fault::any, "UNAVAILABLE",
         ""},
        {400, R"({"error":{"code":400,"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}})",
         permanent, 0, "INVALID_ARGUMENT", ""},
        {0, R"({"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"XPerDayY"}]}]})",
         permanent, 0, "RESOURCE_EXHAUSTED", ""},
        {429, R"({"error":{"message":"limit reached: free-models-per-day","code":429}})", permanent, 0, "", ""},
        {400, R"({"error":{"code":"content_filter","message":"m"}})", refused, 0, "content_filter", ""},
        {0, R"({"message":"Overloaded","type":7,"details":[[],{"violations":{}}]})", transient, Fault::any, "", ""},
    };
    for (const auto& row : rows) {
        const auto fault = row.status ? of(row.status, row.body)
                                      : judge_error_object(json::parse(row.body), hints, Secret());
        const auto got = fault.provider_code + "|" + fault.request_id + "|" + fault.what();
        const bool same = fault.kind == row.kind && fault.retries == row.retries && fault.provider_code == row.code &&
                          fault.request_id == row.id;
        CHECK_MESSAGE(same, got);
    }
    CHECK(of(529).overloaded);
    CHECK(says(of(400, R"({"error":{"details":[{"reason":"API_KEY_INVALID"}]}})"), "OPENAI_API_KEY"));
    CHECK(of(429, R"({"error":{"details":[{"retryDelay":"17.5s"}]}})").floor == 17500ms);
    const ResponseHead both{.status = 429, .told = 20s, .body = R"({"error":{"details":[{"retryDelay":"17s"}]}})"};
    CHECK(judge(both, hints, Secret(), {}).floor == 20s);
    const ResponseHead daily{.status = 429, .told = 20s, .body = R"({"error":{"message":"100 tokens per day"}})"};
    CHECK(judge(daily, hints, Secret(), {}).retries == Fault::any);  // with the length of the wait
}
