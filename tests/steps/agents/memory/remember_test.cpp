// A failing memory loses no answer.
#include "engine/asio.hpp"
#include "engine/error.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/workflow.hpp"
#include "steps/agents/memory/remember.hpp"
#include "steps/view/event_line.hpp"
#include "steps/view/trace_printer.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::agents;
using namespace weft::view;

namespace {
struct SayEvent : StartEvent {
    std::string text;
};
struct SaidEvent : StopEvent {
    std::string text;
};
awaitable<SaidEvent> say(Context& ctx, SayEvent event, Memory& memory) {
    auto remembering = remember(ctx, memory, {"?", event.text});
    co_await std::move(remembering);
    SaidEvent said;
    said.text = event.text;
    co_return said;
}
constexpr auto talk = workflow("talk", step<say>);

class Broken final : public Memory {
public:
    Broken(bool append, bool save) : append_(append), save_(save) {}
    std::vector<models::Message> read(std::string_view) override { return {}; }
    void append(const std::string& run, Exchange) override {
        runs.push_back(run);
        if (append_) throw std::runtime_error("no \xFF room");
    }
    awaitable<void> save() override {
        if (save_) throw Error(Code::configuration, "the disk is full");
        co_return;
    }
    std::vector<std::string> runs;

private:
    const bool append_, save_;
};
}

// shows B-A21
TEST_CASE("a memory makes a warning when it cannot be saved, and the run keeps its answer") {
    for (auto [append, save, text] :
         {std::tuple{false, false, ""}, {false, true, "the disk is full"}, {true, false, "no \xEF\xBF\xBD room"}}) {
        Broken memory(append, save);
        testing::Recorder seen;

        const auto said = testing::run(talk.with(memory), {.text = "yes"}, {.recorder = &seen});

        CHECK(said.text == "yes");
        REQUIRE(memory.runs.size() == 1);
        CHECK(!memory.runs[0].empty());
        if (*text) CHECK(seen.only<WarningEvent>().text == text);
        else CHECK(seen.count<WarningEvent>() == 0);
    }
}
TEST_CASE("a warning stands in the trace and among the events") {
    Broken memory(false, true);
    testing::Recorder seen;
    testing::run(talk.with(memory), {.text = "yes"}, {.recorder = &seen});

    std::string trace;
    TracePrinter printer([&trace](std::string_view text) { trace += text; }, {});
    printer.on(seen[0]);

    CHECK(trace == "Warning: the disk is full\n");
    CHECK(event_line(seen[0]) == R"({"data":{"text":"the disk is full"},"event":"WarningEvent"})");
}
TEST_CASE("a run is cancelled when the cancel comes while it saves") {
    struct Aborted final : Memory {
        std::vector<models::Message> read(std::string_view) override { return {}; }
        void append(const std::string&, Exchange) override {}
        awaitable<void> save() override {
            throw boost::system::system_error(asio::error::operation_aborted);
            co_return;
        }
    } memory;
    CHECK_THROWS(testing::run(talk.with(memory), {.text = "yes"}));
}
