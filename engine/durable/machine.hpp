// The decisions about a stored run, pure: decide(state, input) changes the state and lists commands. It sees no store,
// no clock and no payload, so tests are small, and tests/engine/durable tries each phase with each input.
//
//     const auto commands = decide(state, {Input::stored});
//
// The rules: readers get only stored events, nothing begins without a lease, and a run either ends or is given back;
// is_left_behind() tells that the store may still have it as this engine's. The state shows which answers of the store
// a run waits for; every answer is an input.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace weft::durability {
enum class Phase : std::uint8_t {
    born,         // made here; unknown to the store
    creating,     // the store is storing its first record
    claiming,     // the run is stored, and this engine requests it
    loading,      // the store is reading its records
    live,         // the run executes
    ended_early,  // the run ended while the store was creating it
    ended,        // the run's end is stored, or being stored
    left,         // the run leaves memory, and stays in the store for other engines
    lost,         // the run leaves memory, because this engine cannot continue it
};
inline constexpr int phases = 9;

/// The reason why a run leaves memory before its end.
enum class Reason : std::uint8_t {
    none,
    given_back,  // left: a caller gave it back
    parked,      // left: it waits for mail or a date
    detached,    // left: a worker claims it
    closed,      // left: its loop closes
    taken_over,  // lost: another engine owns it
    unstored,    // lost: the store does not store its records
    lapsed,      // lost: the lease of its engine has expired
    in_doubt,    // lost: the lease is in doubt, and the work cannot wait
    not_loaded,  // lost: the claim or the reading of its records failed
    unfit,       // lost: a step to begin again does not fit its records
};

/// Batches go to the store one after the other, without waiting for answers.
enum class Delivery : std::uint8_t {
    flowing,
    failed,   // a batch was not stored: wait for the other answers, then send all again
    pausing,  // a wait before all are sent again
};

/// The content of the oldest unstored batch.
enum class BatchContent : std::uint8_t {
    ticks,
    end,
    note
};  // end: no ticks; note: what the run waits for, for listings

struct DurableState {
    Phase phase = Phase::born;
    Reason reason = Reason::none;
    Delivery delivery = Delivery::flowing;
    bool is_keyed = false;        // the store may answer that a run with its key exists
    bool is_detached = false;     // created for a worker
    bool is_ours = false;         // the store may have this engine as the run's owner
    bool says_idle = false;       // listings show the wait of the run
    std::uint8_t failures = 0;    // number in a row
    std::uint32_t batches = 0;    // unstored batches of ticks and ends
    std::uint32_t notes = 0;      // unstored batches of notes
    std::uint32_t under_way = 0;  // calls without an answer
    bool operator==(const DurableState&) const = default;
};

struct Input {
    enum Kind : std::uint8_t {
        arrival,     // an event or a result waits to become a tick
        failure,     // an arrival of a failing run, which cannot wait for the store's answer
        tick,        // a record was added
        end,         // the last record was added, or only the end, because loaded records have ended the run
        idle,        // the run waits only for the outside
        mail,        // the run has mail
        sent,        // a batch was handed to the store
        stored,      // the oldest batch is stored
        failed,      // the oldest batch is not stored; sending it again may help
        refused,     // the oldest batch is not stored; sending it again cannot help
        fenced,      // the oldest batch is not stored: the run has another owner
        elsewhere,   // a run with its key exists
        pause_over,  // the batches may be sent again
        claim,       // claim the run from the store
        load,        // load the run, which is claimed already
        claimed,     // this engine owns the run now
        unclaimed,   // another engine owns the run, or the run has ended
        unanswered,  // the store failed to claim or load the run
        early,       // the loaded run has no owner yet, and may not begin before its time
        loaded,      // the run's records are in memory
        restored,    // the records were read, and the run continues
        read_ended,  // the records were read, and the run has ended
        unreadable,  // the records are unreadable, or another engine executes the run
        lapsed,      // the lease has expired
        doubted,     // the lease is in doubt, and the work cannot wait
        unfit,       // a step to begin again does not fit
        drain,       // the engine is about to end
        leave,       // give the run back
        park,        // give the run back until mail or its time comes
        destroy,     // the loop destroys the run
    } kind;
    BatchContent oldest = BatchContent::ticks;  // for stored, failed, refused, fenced: the answered batch
};
inline constexpr int inputs = Input::destroy + 1;

enum class DurableCommand : std::uint8_t {
    record,           // write the tick and pass it to the store
    postpone,         // wait until the store's content is known
    pass,             // change the run in memory only
    take_mail,        //
    note,             // add a note about what the run waits for
    send,             // send the newest batch
    send_all,         // send all unstored batches
    drop_oldest,      // the oldest batch has its answer
    drop_notes,       // the next batch makes them obsolete
    pause,            // wait before the batches are sent again
    take_postponed,   //
    tell,             // publish the stored events, and run the commands that waited for the store
    start_over,       // drop everything that happened only in memory
    claim,            //
    load,             //
    restore,          // read the loaded records
    give_back,        // make the run ready for another owner
    give_back_claim,  // give back a claimed run before it is read
    park,             //
    leave_or_park,    // if the run is at rest
    refuse,           // end the run in memory; stored data stays
};
class DurableCommands {
public:
    DurableCommands(std::initializer_list<DurableCommand> all) {
        for (auto command : all) add(command);
    }
    void add(DurableCommand command) { all_[size_++] = command; }
    const DurableCommand* begin() const { return all_; }
    const DurableCommand* end() const { return all_ + size_; }
    bool contains(DurableCommand command) const { return std::find(begin(), end(), command) != end(); }
    DurableCommand only() const { return all_[0]; }

private:
    DurableCommand all_[4]{};
    std::uint8_t size_ = 0;
};

inline constexpr unsigned most_failures = 8;  // number in a row; with the pauses about 12 s

bool is_possible(const DurableState&);         // checks the invariants
bool may_come(const DurableState&, Input);     // whether the input is possible in this state
DurableCommands decide(DurableState&, Input);  // all cases

/// It leaves memory, and stores nothing more.
bool is_over(const DurableState&);
/// Its readers get an error: it continues elsewhere, or later.
bool is_refused(const DurableState&);
/// Its end is stored, or being stored.
bool is_ended(const DurableState&);
/// A tick of the run becomes a record.
bool is_recorded(const DurableState&);
/// The store's content for this run is not known yet.
bool is_unknown(const DurableState&);
/// Everything is stored, and no call waits for an answer: the run may leave memory without a loss.
bool is_at_rest(const DurableState&);
/// It leaves memory, but the store may still have it as this engine's.
bool is_left_behind(const DurableState&);
/// A command of a run, or a piece of recorded work, that asks to begin.
struct WorkRequest {
    bool is_stored = true;  // the tick that caused it is stored
    bool is_step = false;   // the command begins a step
    bool has_turn = true;   // the engine does not drain, and the run does not queue for its turn
    bool has_lease = true;  // the lease is sure
};
bool may_begin(const DurableState&, WorkRequest);
}
