// Where a worker process kills itself: at the n-th thing that it does to a disk or tells anybody, before, within or
// after it. The driver names the place in the worker's environment:
//
//     WEFT_KILL="17 within" crash_worker react FOLDER URL
//
// What is counted: writes (w), syncs (s) and truncations (t) of the store's files, answers of the store (a), effects of
// tools (e), and files that are renamed (r), as the memory's is.
#pragma once
#include "engine/store.hpp"
#include <string>

namespace crash {
class Operation {
public:
    explicit Operation(char kind);  // dies here if it is its turn, before
    ~Operation();                   // or here, after
    Operation(const Operation&) = delete;
    bool ends_within() const;  // the caller does half of it, and then dies

private:
    long number_;
};
[[noreturn]] void die();
/// The kinds of all operations until now, in their order.
std::string operations();

/// From now on SQLite's files of this path count.
void watch_disk(const std::string& path);

/// Counts the answers of another store, before the engine gets them.
class Answering final : public weft::Store {
public:
    explicit Answering(weft::Store& to) : to_(to) {}
    void create(weft::storage::NewRun, Then<weft::storage::Created>) override;
    void append(weft::storage::Batch, Then<weft::storage::Appended>) override;
    void load(std::string run, Then<weft::storage::History>, std::uint64_t from) override;
    void write_log(weft::storage::LogEntries, Then<weft::storage::Logged>) override;
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<weft::storage::LogPart>,
                  std::size_t bytes) override;
    void plan(std::string hash, Then<weft::storage::StoredPlan>) override;
    void send(weft::storage::Mail, Then<weft::storage::Sent>) override;
    void claim(weft::storage::Claim, Then<std::vector<weft::storage::RunRow>>) override;
    void heartbeat(weft::storage::Worker, Then<weft::storage::HeartbeatReply>) override;
    void list(weft::storage::Filter, Then<std::vector<weft::storage::RunRow>>) override;
    void survey(Then<weft::storage::Survey>) override;
    void prune(weft::storage::Filter, Then<std::uint64_t>) override;

private:
    weft::Store& to_;
};
}
