#include "workflows/server/openai/error.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::server;

namespace {
std::string header(const OpenaiError& error, std::string_view name) {
    for (const auto& [key, value] : openai_headers(error))
        if (key == name) return value;
    return "-";
}
}

TEST_CASE("every error has all four keys, in valid JSON") {
    auto strange = openai_run_failed(Code::model_failed, "the server said \"\xff\x1b[31m\n\"");
    for (const auto& error : {openai_unauthorized(), openai_no_model("x\xff", "hello"), openai_no_route("GET", "/v1/x"),
                              openai_wrong_method("PUT", "/v1/models"), openai_not_json("at 3"), openai_too_busy(2),
                              openai_closing(1), strange}) {
        const auto body = nlohmann::json::parse(openai_body(error));
        REQUIRE(body.at("error").size() == 4);
        CHECK(body["error"].at("message").get<std::string>().find('\n') == std::string::npos);
        CHECK(body["error"].at("message").get<std::string>().find('\x1b') == std::string::npos);
        CHECK(body["error"].at("type").is_string());
        CHECK(body["error"].contains("param"));
        CHECK(body["error"].contains("code"));
        CHECK(header(error, "Content-Type") == "application/json");
    }
}
TEST_CASE("a failed run is not repeated, and a request refused before its run may be") {
    CHECK(header(openai_run_failed(Code::model_failed, "no"), "x-should-retry") == "false");
    CHECK(header(openai_run_failed(Code::timed_out, "late"), "x-should-retry") == "false");
    CHECK(header(openai_too_busy(7), "x-should-retry") == "true");
    CHECK(header(openai_too_busy(7), "Retry-After") == "7");
    CHECK(header(openai_closing(1), "x-should-retry") == "true");
    CHECK(header(openai_unauthorized(), "x-should-retry") == "-");
    CHECK(header(openai_unauthorized(), "WWW-Authenticate") == "Bearer");
    CHECK(header(openai_no_model("x", "y"), "Retry-After") == "-");
}
TEST_CASE("a failed run has the status of its cause") {
    CHECK(openai_run_failed(Code::usage, "the question is empty").status == 400);
    CHECK(openai_run_failed(Code::bad_json, "text: missing").status == 400);
    CHECK(openai_run_failed(Code::timed_out, "late").status == 504);
    CHECK(openai_run_failed(Code::model_unreachable, "no").status == 500);
    CHECK(openai_run_failed(Code::model_unreachable, "no").code == "model_unreachable");
    CHECK(openai_run_failed(Code::cancelled, "").message == "the run has failed");
}
TEST_CASE("a quoted message is bounded") {
    CHECK(openai_run_failed(Code::step_failed, std::string(1 << 20, 'x')).message.size() <= 2010);
    CHECK(openai_no_model(std::string(1 << 20, 'x'), "hello").message.size() <= 300);
}
