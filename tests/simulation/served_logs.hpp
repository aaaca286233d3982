// The logs of a process, as a server keeps them: the store has each event before a client gets it.
//
//     ServedLogs logs(told, store, runtime, find_epoch);    // the observer of an engine
//     co_await logs.open(run);                              // in a step, before its first event
//     logs.serve(client, row);                              // if the process has the run, or the run has ended
#pragma once
#include "engine/observer.hpp"
#include "tests/simulation/told_events.hpp"
#include "workflows/server/runs/event_log.hpp"

namespace simulation {
std::string text_of_note(std::uint64_t number);
inline constexpr std::string_view text_of_end = "end";
class ServedLogs final : public Observer {
public:
    /// The epoch of a run's owner; 0: the process does not have the run.
    using FindEpoch = std::function<std::uint64_t(const std::string& run)>;
    ServedLogs(ToldEvents& told, Store& store, const Runtime& runtime, std::string process, FindEpoch find_epoch)
        : told_(told),
          store_(store),
          runtime_(runtime),
          process_(std::move(process)),
          find_epoch_(std::move(find_epoch)) {}
    ~ServedLogs() override { told_.drops_log(process_, {}); }
    ToldEvents& told() const { return told_; }
    /// Waits until the log of the run knows the number of its next event.
    awaitable<void> open(std::string run);
    /// Gives the client the events of its run. False: this process does not have them.
    bool serve(const std::shared_ptr<EventClient>&, const storage::RunRow&);
    void event_streamed(const RunInfo&, const AnyEvent&) noexcept override;
    void run_parked(const RunInfo&) noexcept override;

private:
    using LogPointer = std::shared_ptr<server::EventLog>;
    struct ServedLog {
        std::uint64_t epoch = 0;
        LogPointer log;  // null: the number of its next event is not known yet
        std::vector<Signal> waiting;
    };
    awaitable<storage::LogPart> ask(std::string run, std::uint64_t from, std::size_t most);
    awaitable<void> begin(std::string run, std::uint64_t epoch);
    awaitable<void> restore(std::shared_ptr<EventClient>, storage::RunRow);
    awaitable<void> tell(std::shared_ptr<EventClient>, LogPointer);
    void put(const std::string& run, std::uint64_t epoch, std::uint64_t next, bool has_end);
    void spawn_serving(const std::shared_ptr<EventClient>&, awaitable<void>);
    ToldEvents& told_;
    Store& store_;
    const Runtime runtime_;
    const std::string process_;
    const FindEpoch find_epoch_;
    std::map<std::string, ServedLog> logs_;  // by run
};
}
