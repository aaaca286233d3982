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
    void create(weft::NewRun, Then<weft::Created>) override;
    void append(weft::Batch, Then<weft::Appended>) override;
    void load(std::string run, Then<weft::History>, std::uint64_t from) override;
    void plan(std::string hash, Then<weft::StoredPlan>) override;
    void send(weft::Mail, Then<weft::Sent>) override;
    void claim(weft::Claim, Then<std::vector<weft::RunRow>>) override;
    void beat(weft::Worker, Then<weft::Pulse>) override;
    void list(weft::Filter, Then<std::vector<weft::RunRow>>) override;
    void prune(weft::Filter, Then<std::uint64_t>) override;

private:
    weft::Store& to_;
};
}
