// Executes one run in a process that the driver kills: it starts or continues the run, answers its questions, and
// prints a line for each fact that other processes may rely on.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/event_json.hpp"
#include "engine/json.hpp"
#include "engine/observer.hpp"
#include "engine/once.hpp"
#include "engine/schedule/schedules.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/sqlite_store.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/memory/memory_file.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/protocols/openai.hpp"
#include "tests/crash/kill.hpp"
#include "tools/registry.hpp"
#include "tools/sql/database.hpp"
#include "tools/tool_context.hpp"
#include "workflows/react.hpp"
#include "workflows/reflect.hpp"
#include "workflows/refund.hpp"
#include "workflows/research.hpp"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;

namespace {
void append_line(int file, const std::string& line) {
    const auto text = line + '\n';
    if (::write(file, text.data(), text.size()) != ssize_t(text.size())) std::abort();
}
void tell(const std::string& line) { append_line(STDOUT_FILENO, line); }

/// The machine's clock, with its date shifted by the driver's value.
class Shifted final : public Clock {
public:
    Time now() const override { return real_clock().now(); }
    WallTime wall() const override {
        static const char* const text = std::getenv("WEFT_CLOCK_SHIFT_S");
        return real_clock().wall() + std::chrono::seconds(text ? std::atol(text) : 0);
    }
    std::unique_ptr<Alarm> make_alarm(const asio::any_io_executor& executor, std::function<void()> ring,
                                      std::function<void()> lost) override {
        return real_clock().make_alarm(executor, std::move(ring), std::move(lost));
    }
};
struct Teller final : Observer {
    void step_started(const StepInfo& step) noexcept override {
        tell("step " + std::string(step.name) + ' ' + std::string(step.event) + ' ' + std::to_string(step.attempt));
    }
    void question_asked(const RunInfo&, std::string_view question, QuestionId) noexcept override {
        tell("asked " + std::string(question));
    }
};

/// An effect outside of all stores: a line in a file.
class Note final : public tools::ContextTool {
public:
    explicit Note(const std::string& file) : file_(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600)) {}
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return description_; }
    const nlohmann::json& schema() const override { return schema_; }
    using ContextTool::call;
    awaitable<tools::Observation> call(const nlohmann::json& arguments, tools::ToolContext& context) override {
        const auto text = arguments.at("text").get<std::string>();
        const crash::Operation one('e');
        append_line(file_, text + ' ' + context.key());
        tools::Observation observation;
        observation.text = "noted " + text;
        co_return observation;
    }

private:
    const int file_;
    const std::string name_ = "note", description_ = "Notes a text.";
    const nlohmann::json schema_ = {
        {"type", "object"}, {"properties", {{"text", {{"type", "string"}}}}}, {"required", {"text"}}};
};

struct AlarmEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(AlarmEvent, (), ())
struct RungEvent : StopEvent {
    int attempt = 0;
};
BOOST_DESCRIBE_STRUCT(RungEvent, (), (attempt))
RungEvent ring(Context& ctx, AlarmEvent) {
    if (ctx.attempt() < 3) throw std::runtime_error("not yet");
    return {.attempt = int(ctx.attempt())};
}
inline constexpr auto alarm_clock = workflow("alarm_clock", step<ring>.retry({.attempts = 5, .wait = fixed(200ms)}));

struct NapEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(NapEvent, (), ())
struct AwakeEvent : StopEvent {
    int naps = 0, early = 0;
};
BOOST_DESCRIBE_STRUCT(AwakeEvent, (), (naps, early))
awaitable<std::int64_t> microseconds_now() {
    auto& clock = co_await this_clock();
    co_return clock.wall().time_since_epoch().count();
}
awaitable<AwakeEvent> nap(Context& ctx, NapEvent) {
    AwakeEvent awake;
    for (; awake.naps < 3; ++awake.naps) {
        auto looking = microseconds_now();
        const auto begin = co_await ctx.once("begin", std::move(looking));
        co_await ctx.sleep(20ms);
        const auto end = co_await microseconds_now();
        awake.early += end < begin + 20'000;
    }
    co_return awake;
}
inline constexpr auto naps = workflow("naps", step<nap>);

struct LapEvent : StartEvent {
    int lap = 0;
};
BOOST_DESCRIBE_STRUCT(LapEvent, (), (lap))
struct LineEvent {
    int lap = 0;
};
BOOST_DESCRIBE_STRUCT(LineEvent, (), (lap))
struct ArrivedEvent : StopEvent {
    int laps = 0;
};
BOOST_DESCRIBE_STRUCT(ArrivedEvent, (), (laps))
struct LapFile {
    int file;
};
awaitable<int> note_lap(const LapFile& laps, int lap, std::string key) {
    const crash::Operation one('e');
    append_line(laps.file, "lap" + std::to_string(lap) + ' ' + key);
    co_return lap;
}
awaitable<LineEvent> run_lap(Context& ctx, LapEvent start, const LapFile& laps) {
    auto noting = note_lap(laps, start.lap, ctx.key());
    const auto lap = co_await ctx.once("note", std::move(noting));
    co_return LineEvent{.lap = lap};
}
std::optional<ArrivedEvent> cross_line(Context& ctx, LineEvent line) {
    if (line.lap == 3) return ArrivedEvent{.laps = line.lap};
    ctx.begin_again(LapEvent{.lap = line.lap + 1});
    return {};
}
inline constexpr auto laps = workflow("laps", step<run_lap>, step<cross_line>);

struct ListenEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(ListenEvent, (), ())
struct RingEvent : SignalEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(RingEvent, (), (number))
struct HeardEvent : StopEvent {
    std::string numbers;
};
BOOST_DESCRIBE_STRUCT(HeardEvent, (), (numbers))
struct HeardRings {
    std::string numbers;
};
BOOST_DESCRIBE_STRUCT(HeardRings, (), (numbers))
constexpr int rings = 4;
void listen(Context&, ListenEvent) {}
awaitable<std::optional<HeardEvent>> hear_ring(Context& ctx, RingEvent ring, const LapFile& file) {
    auto noting = note_lap(file, 100 + ring.number, ctx.key());
    co_await ctx.once("note", std::move(noting));
    const auto heard = ctx.get<HeardRings>().numbers + std::to_string(ring.number);
    ctx.edit<HeardRings>([&](auto& all) { all.numbers = heard; });
    if (heard.size() < rings) co_return std::nullopt;
    co_return HeardEvent{.numbers = heard};
}
inline constexpr auto signals = workflow("signals", step<listen>, step<hear_ring>.workers(1));

struct TourEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(TourEvent, (), ())
struct WantedEvent {
    int booking = 0;
};
BOOST_DESCRIBE_STRUCT(WantedEvent, (), (booking))
struct BookedEvent {
    int booking = 0;
};
BOOST_DESCRIBE_STRUCT(BookedEvent, (), (booking))
struct ThirdEvent {};  // streamed by the third booking, which is cancelled then
BOOST_DESCRIBE_STRUCT(ThirdEvent, (), ())
struct TouredEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(TouredEvent, (), ())
struct Bookings {
    std::vector<int> wanted;
};
BOOST_DESCRIBE_STRUCT(Bookings, (), (wanted))
awaitable<int> note_act(const LapFile& acts, std::string name, std::string key) {
    const crash::Operation one('e');
    append_line(acts.file, name + ' ' + key);
    co_return 0;
}
WantedEvent want(Context& ctx, int booking) {
    ctx.edit<Bookings>([&](auto& bookings) { bookings.wanted.push_back(booking); });
    return {.booking = booking};
}
WantedEvent begin_tour(Context& ctx, TourEvent) { return want(ctx, 1); }
awaitable<BookedEvent> book(Context& ctx, WantedEvent wanted, const LapFile& acts) {
    const auto name = "book" + std::to_string(wanted.booking);
    auto booking = note_act(acts, name, ctx.key());
    co_await ctx.once(name, std::move(booking));
    if (wanted.booking == 3) {
        ctx.stream(ThirdEvent());
        co_await sleep_for(1h);
    }
    co_return BookedEvent{.booking = wanted.booking};
}
std::variant<WantedEvent, TouredEvent> go_on(Context& ctx, BookedEvent booked) {
    if (booked.booking == 3) return TouredEvent();
    return want(ctx, booked.booking + 1);
}
awaitable<void> undo_tour(Context& ctx, RunEndingEvent, const LapFile& acts) {
    for (auto wanted = ctx.get<Bookings>().wanted; !wanted.empty(); wanted.pop_back()) {
        const auto name = "undo" + std::to_string(wanted.back());
        auto undoing = note_act(acts, name, ctx.key());
        co_await ctx.once(name, std::move(undoing));
    }
}
inline constexpr auto saga = workflow("saga", step<begin_tour>, step<book>, step<go_on>, step<undo_tour>);

template <class R> awaitable<typename R::Stop> follow(R run) {
    while (auto event = co_await run.next_event()) {
        if (event->template get_if<ThirdEvent>()) run.cancel();
        if constexpr (std::is_same_v<R, RunOf<workflows::refund>>)
            if (event->template get_if<workflows::ApprovalRequestEvent>()) {
                workflows::ApprovalEvent yes;
                yes.granted = true;
                run.send(std::move(yes), event->question());
            }
    }
    auto result = co_await run.result();
    co_return result;
}

class Desk {
public:
    explicit Desk(const std::string& folder)
        : store_(folder + "/weft.db", {.now = [this] { return clock_.wall().time_since_epoch().count(); }}),
          counted_(store_),
          engine_({.store = &counted_, .clock = &clock_, .observer = &teller_}) {}
    template <class W, class Start>
    void work(const std::string& how, const Bound<W>& workflow, Start event, RunOptions options = {}) {
        options.key = "A";
        const auto id = std::string(workflow.definition->name) + ":A";
        const auto is_there = how != "start" && has(id);
        if (is_there && how == "recover") engine_.recover(workflow);
        auto run = is_there ? engine_.resume(workflow, id) : engine_.start(workflow, std::move(event), options);
        if constexpr (core::contains<RingEvent, typename W::Accepted>) ring(workflow, id, run);
        auto following = follow(run);
        std::string line;
        try {
            line = "result " + to_json(engine_.wait(std::move(following))).dump();
        } catch (const RunError& error) { line = std::string("failed ") + error.what(); }
        tell(line);
    }
    template <class W, class Start> void enqueue_many(const Bound<W>& workflow, const Start& event) {
        std::vector<std::pair<Start, RunOptions>> starts;
        for (std::size_t i = 0; i < crash::many; ++i) starts.push_back({event, {.key = std::to_string(i)}});
        std::size_t added = 0;
        for (auto& run : engine_.enqueue(workflow, starts)) added += run.is_new;
        tell("result " + std::to_string(added));
    }
    template <class W> void start_burst(const Bound<W>& workflow) {
        RunOptions options;
        options.not_before = clock_.wall() + 24h;
        options.debounce = "customer 7";
        for (int i = 1; i <= crash::burst; ++i) {
            workflows::RefundEvent event;
            event.order = std::to_string(i);
            engine_.enqueue(workflow, event, options);
            tell("stored " + event.order);
        }
        tell("result " + std::to_string(crash::burst));
    }
    /// Executes a schedule with three missed times until their runs are in the store.
    void keep_schedule() {
        const auto target = durable(alarm_clock);
        const auto stored = schedule::schedules_of(target);
        const auto now = std::chrono::floor<std::chrono::seconds>(clock_.wall());
        schedule::ScheduleEvent event;
        event.name = "A";
        event.workflow = std::string(alarm_clock.name);
        event.missed = schedule::MissedTimes::all;
        event.window = 1h;
        event.overlap = schedule::Overlap::allow;
        event.last = now - std::chrono::seconds(crash::missed);
        event.timetable.text = schedule::Timetable::every(1s, event.last).to_json();
        auto run = engine_.start(stored, event, {.key = event.name});
        while (count_of(alarm_clock.name) < crash::missed) std::this_thread::yield();
        run.leave();
        auto left = run.result();
        try {
            (void)engine_.wait(std::move(left));
        } catch (const RunError&) {}
        tell("result kept");
    }
    Pool& pool() { return engine_.pool(); }

private:
    /// Each process sends all signals, each with the same id.
    template <class W> void ring(const Bound<W>& workflow, const std::string& id, const Run<W>& run) {
        try {
            engine_.wait(run.until_stored());
            for (int i = 1; i <= rings; ++i)
                engine_.signal(workflow, id, RingEvent{.number = i}, "ring" + std::to_string(i));
        } catch (const Error&) {}  // the run has ended
    }
    std::size_t count(const Filter& filter) {
        return answer_of<std::vector<RunRow>>([&](auto then) { store_.list(filter, std::move(then)); }).size();
    }
    bool has(const std::string& id) { return count({.ids = {id}}) > 0; }
    std::size_t count_of(std::string_view workflow) { return count({.workflows = {std::string(workflow)}}); }
    Shifted clock_;
    Teller teller_;
    SqliteStore store_;
    crash::Answering counted_;
    Engine engine_;
};

void work(const std::string& name, const std::string& folder, const std::string& url, const std::string& how) {
    Desk desk(folder);
    models::HttpModel model({.name = "openai:test",
                             .model = "test",
                             .protocol = &models::openai_chat,
                             .base = net::parse_url(url + "/v1")});
    tools::Registry tools;
    tools.add(std::make_shared<Note>(folder + "/effects"));
    agents::MemoryFile memory(desk.pool(), folder + "/memory.json");
    tools::Database database(desk.pool());
    agents::UserMessageEvent question;
    question.text = "What is to be noted?";
    if (name == "react") {
        const agents::ReactOptions options;
        const auto bound = workflows::react.with(model, agents::text_dialect, memory, tools, options);
        desk.work(how, durable(bound), question);
    } else if (name == "reflect") {
        const agents::ReflectOptions options;
        const auto bound = workflows::reflect.with(model, memory, tools, options);
        desk.work(how, durable(bound), question);
    } else if (name == "research") {
        workflows::TopicEvent topic;
        const auto bound = workflows::research.with(database);
        desk.work(how, durable(bound), topic);
    } else if (name == "refund") {
        workflows::RefundEvent refund;
        refund.order = "7";
        refund.amount = 70;
        const Bound<std::remove_cvref_t<decltype(workflows::refund)>> bound(workflows::refund);
        desk.work(how, durable(bound), refund);
    } else if (name == "naps") {
        const Bound<std::remove_cvref_t<decltype(naps)>> bound(naps);
        desk.work(how, durable(bound), NapEvent());
    } else if (name == "signals") {
        const LapFile file{::open((folder + "/effects").c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600)};
        desk.work(how, durable<HeardRings>(signals.with(file)), ListenEvent());
    } else if (name == "saga") {
        const LapFile file{::open((folder + "/effects").c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600)};
        desk.work(how, durable<Bookings>(saga.with(file)), TourEvent());
    } else if (name == "many") {
        const Bound<std::remove_cvref_t<decltype(workflows::refund)>> bound(workflows::refund);
        desk.enqueue_many(durable(bound), workflows::RefundEvent());
    } else if (name == "burst") {
        desk.start_burst(durable(Bound<std::remove_cvref_t<decltype(workflows::refund)>>(workflows::refund)));
    } else if (name == "schedule") {
        desk.keep_schedule();
    } else if (name == "laps") {
        const LapFile file{::open((folder + "/effects").c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600)};
        desk.work(how, durable(laps.with(file)), LapEvent());
    } else {
        const Bound<std::remove_cvref_t<decltype(alarm_clock)>> bound(alarm_clock);
        desk.work(how, durable<>(bound), AlarmEvent(), {.timeout = 30min});
    }
}
}
int main(int count, char** words) {
    if (count != 5) return 2;
    const std::string name = words[1], folder = words[2], url = words[3], how = words[4];
    crash::watch_disk(folder + "/weft.db");
    try {
        work(name, folder, url, how);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "worker: %s\n", error.what());
        return 1;
    }
    tell("operations " + crash::operations());
    return 0;
}
