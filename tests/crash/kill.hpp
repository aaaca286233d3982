// Kills a worker process before, within or after its n-th operation on a disk or on another process. The driver names
// the place in the worker's environment:
//
//     WEFT_KILL="17 within" crash_worker react FOLDER URL
//
// Operations are writes (w), syncs (s) and truncations (t) of the store's files, answers of the store (a), effects of
// tools (e), and renames of files (r), such as the memory's.
#pragma once
#include "engine/store.hpp"
#include <string>

namespace crash {
class Operation {
public:
    explicit Operation(char kind);  // may die here, before the operation
    ~Operation();                   // or here, after the operation
    Operation(const Operation&) = delete;
    bool ends_within() const;  // true: the caller does half of the operation, and dies

private:
    long number_;
};
[[noreturn]] void die();
/// Returns the kinds of all operations so far, in order.
std::string operations();

/// Counts the operations on SQLite's files of this path from now on.
void watch_disk(const std::string& path);

inline constexpr std::size_t many = 2100;  // runs that the worker enqueues by one call

inline constexpr std::size_t missed = 3;  // times of the worker's schedule that have passed when it begins
inline constexpr int burst = 5;           // starts of the worker with one debounce key

/// Counts the answers of another store, before the engine gets them.
class Answering final : public weft::Store {
public:
    explicit Answering(weft::Store& to) : to_(to) {}
    void create(weft::storage::NewRun, Then<weft::storage::CreateReply>) override;
    void create_all(std::vector<weft::storage::NewRun>, Then<std::vector<weft::storage::CreateReply>>) override;
    void append(weft::storage::Batch, Then<weft::storage::AppendReply>) override;
    void load(std::string run, Then<weft::storage::History>, std::uint64_t from) override;
    void write_log(weft::storage::LogEntries, Then<weft::storage::LogReply>) override;
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<weft::storage::LogPart>,
                  std::size_t bytes) override;
    void plan(std::string hash, Then<weft::storage::StoredPlan>) override;
    void send(weft::storage::Mail, Then<weft::storage::SendReply>) override;
    void claim(weft::storage::ClaimRequest, Then<std::vector<weft::storage::RunRow>>) override;
    void heartbeat(weft::storage::Heartbeat, Then<weft::storage::HeartbeatReply>) override;
    void list(weft::storage::Filter, Then<std::vector<weft::storage::RunRow>>) override;
    void survey(Then<weft::storage::Survey>) override;
    void prune(weft::storage::Filter, Then<std::uint64_t>) override;

private:
    weft::Store& to_;
};
}
