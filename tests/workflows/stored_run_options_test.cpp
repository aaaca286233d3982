// The options that a stored run keeps, and refused options from a store.
#include "engine/error.hpp"
#include "workflows/catalog/stored/run_outcome.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include <doctest/doctest.h>
#include <filesystem>
using namespace weft;
using namespace weft::storage;
using namespace weft::catalog;
using nlohmann::json;

namespace {
AgentOptions example() {
    AgentOptions options;
    options.command = "react";
    options.store_file = "weft.db";
    options.base_url = "http://127.0.0.1:8080/v1";
    options.database = "shop.db";
    options.tools = "add,divide";
    options.system = "@rules.txt";
    options.dialect = "pause";
    options.template_file = "/etc/template.txt";
    options.memory_file = "memory.json";
    options.fallbacks = {"script:./second.json", "ollama:llama3.2"};
    options.budget.tokens = 5000;
    options.budget.cost = 0.25;
    options.restart = true;
    options.no_prompt_cache = true;
    options.fallback = false;
    options.max_steps = 7;
    options.temperature = 0.5;
    options.timeout = std::chrono::minutes(2);
    options.record_file = "exchange.jsonl";
    return options;
}
RunRow row_of(std::string options) {
    RunRow row;
    row.id = "4f2a";
    row.workflow = "react";
    row.options = std::move(options);
    return row;
}
json kept() { return json::parse(write_stored_run_options(example(), "openai:m", "react", {{"text", "Why?"}})); }
std::string here(const std::string& file) { return (std::filesystem::current_path() / file).string(); }
}

TEST_CASE("a run keeps its options, with the chosen model and absolute paths") {
    const auto run = read_stored_run_options(row_of(kept().dump()));
    const auto options = options_of(run, "/data/weft.db");

    CHECK(run.input == json{{"text", "Why?"}});
    CHECK(options.command == "react");
    CHECK(options.store_file == "/data/weft.db");
    CHECK(options.model == "openai:m");
    CHECK(options.base_url == example().base_url);
    CHECK(options.database == here("shop.db"));
    CHECK(options.system == "@" + here("rules.txt"));
    CHECK(options.template_file == "/etc/template.txt");
    CHECK(options.memory_file == here("memory.json"));
    CHECK(options.fallbacks == std::vector<std::string>{"script:" + here("second.json"), "ollama:llama3.2"});
    CHECK(options.tools == "add,divide");
    CHECK(options.no_prompt_cache);
    CHECK(options.dialect == "pause");
    CHECK(options.budget.tokens == 5000);
    CHECK(options.budget.cost == 0.25);
    CHECK(options.restart);
    CHECK_FALSE(options.fallback);
    CHECK(options.max_steps == 7);
    CHECK(options.temperature == 0.5);
    CHECK(options.timeout == std::chrono::minutes(2));
    CHECK(options.record_file.empty());  // a partial recording is useless
}
TEST_CASE("a run keeps only the names of its tool servers, and uses no stored settings of them") {
    auto options = example();
    options.mcp = {"files=npx server --key s3cret", "web=https://h.org/mcp?key=s3cret", "servers.json"};
    const auto text = write_stored_run_options(options, "openai:m", "react", {{"text", "Why?"}});
    CHECK(text.find("s3cret") == std::string::npos);
    const auto run = read_stored_run_options(row_of(text));
    CHECK(run.options.mcp == std::vector<std::string>{"files", "web", here("servers.json")});
    CHECK(options_of(run, "/data/weft.db").mcp.empty());
}
TEST_CASE("a run's stored options are checked, and refused in a sentence that names the run") {
    const std::pair<const char*, json> changes[] = {
        {"/options/max_steps", -1},
        {"/options/max_steps", "many"},
        {"/options/context_tokens", 3},
        {"/options/temperature", 9},
        {"/options/timeout_ms", -5},
        {"/options/budget/tokens", -1},
        {"/options/memory_file", "memory.json"},
        {"/options/system", "@rules.txt"},
        {"/options/fallbacks", {"script:./x.json"}},
        {"/options/model", "opnai:x"},
        {"/options/base_url", "http://me:secret@example.org"},
        {"/workflow", "hello"},
        {"/command", nullptr},
    };
    for (const auto& change : changes) {
        const auto& place = change.first;
        const auto& value = change.second;
        CAPTURE(place);
        auto changed = kept();
        changed[json::json_pointer(place)] = value;
        try {
            read_stored_run_options(row_of(changed.dump()));
            FAIL("it was taken");
        } catch (const Error& error) {
            CHECK(error.code() == Code::journal);
            CHECK(std::string(error.what()).starts_with("run 4f2a keeps options that cannot be used: "));
            CHECK(std::string(error.what()).find("secret") == std::string::npos);
        }
    }
    CHECK_THROWS_AS(read_stored_run_options(row_of("{")), Error);
    CHECK_THROWS_WITH_AS(read_stored_run_options(row_of("")), doctest::Contains("not by weft"), Error);
}
TEST_CASE("an address with a password and a name that is not UTF-8 are not stored") {
    auto options = example();
    options.base_url = "http://me:secret@example.org";
    CHECK_THROWS_WITH_AS(write_stored_run_options(options, "", "react", {}), doctest::Contains("password"), Error);
    options = example();
    options.database = "caf\xE9.db";
    CHECK_THROWS_WITH_AS(write_stored_run_options(options, "", "react", {}), doctest::Contains("UTF-8"), Error);
}
TEST_CASE("an ended stored run gives its result, or its failure") {
    auto row = row_of("");
    row.status = RunStatus::done;
    row.outcome = R"({"event": "AnswerEvent", "data": {"response": "42"}})";
    CHECK(result_of_stored(row) == json{{"response", "42"}});

    row.status = RunStatus::failed;
    row.outcome = R"({"event": "RunFailedEvent",
                      "data": {"step": "ask", "error": "no model", "code": "model_refused", "attempts": 2}})";
    CHECK_THROWS_WITH_AS(result_of_stored(row), "step ask failed: no model", Error);
    row.status = RunStatus::timed_out;
    row.outcome = R"({"event": "RunTimedOutEvent", "data": {"timeout": 1.5, "active_steps": []}})";
    CHECK_THROWS_WITH_AS(result_of_stored(row), "the run has not ended within 1.5 s", Error);
    row.outcome = "nonsense";
    CHECK_THROWS_WITH_AS(result_of_stored(row), doctest::Contains("the outcome of run"), Error);
}
