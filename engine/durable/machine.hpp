// The decisions about a stored run, pure: decide(state, input) changes the state and lists commands. It sees no store,
// no clock and no payload, so a test is a few values, and tests/engine/durable tries every phase with every input.
//
//     const auto commands = decide(state, {Input::stored});
//
// The rules: nothing is told before it is stored, nothing begins without a lease, and a run either ends or is given
// back; where the store may still have it as this engine's, is_left_behind() says so. A run waits for the answers of
// the store where its state says so, and every answer comes as an input.
#pragma once
#include <cstdint>
#include <initializer_list>

namespace weft::durability {
enum class Phase : std::uint8_t {
    born,         // made here; the store has not heard of it
    creating,     // its first record is on the way
    claiming,     // the store has it, and is asked for it
    loading,      // its records are on the way from the store
    live,         // it goes on
    ended_early,  // it has ended while it was being created
    ended,        // its end is stored, or on the way
    left,         // it leaves memory, and stays in the store for others
    lost,         // it leaves memory, as it cannot go on here
};
inline constexpr int phases = 9;

/// Why a run leaves memory before its end.
enum class Reason : std::uint8_t {
    none,
    given_back,  // left: somebody wanted that
    parked,      // left: it waits for mail or a date
    detached,    // left: a worker claims it
    closed,      // left: its loop ends
    taken_over,  // lost: another engine has it
    unstored,    // lost: the store does not keep its records
    lapsed,      // lost: the lease of its engine is over
    in_doubt,    // lost: the lease may be over, and what is asked for cannot wait
    not_loaded,  // lost: it could not be claimed, or its records could not be read
    unfit,       // lost: a step that begins again does not fit its records
};

/// How batches go to the store: one after the other, without waiting for answers.
enum class Delivery : std::uint8_t {
    flowing,
    failed,   // a batch was not stored: the answers to the others are awaited, and all are sent again
    pausing,  // before they are sent again
};

/// The content of the oldest batch without a good answer.
enum class Batch : std::uint8_t { ticks, end, note };  // end: without ticks; note: what the run waits for, for listings

struct State {
    Phase phase = Phase::born;
    Reason reason = Reason::none;
    Delivery delivery = Delivery::flowing;
    bool is_keyed = false;        // the store may answer that a run with its key is there
    bool is_detached = false;     // it is created for a worker
    bool is_ours = false;         // the store has it as this engine's, or may have
    bool says_idle = false;       // listings say what it waits for
    std::uint8_t failures = 0;    // in a row
    std::uint32_t batches = 0;    // without a good answer, of ticks and ends
    std::uint32_t notes = 0;      // the same, of notes
    std::uint32_t under_way = 0;  // calls without an answer
    bool operator==(const State&) const = default;
};

struct Input {
    enum Kind : std::uint8_t {
        arrival,     // something is to become a tick
        failure,     // the same, of a run that fails: it cannot wait until the store has answered
        tick,        // a record was added
        end,         // the last one was added, or only the end, as the records of a loaded run have ended it
        idle,        // it waits for what is outside
        mail,        // others have put something into its inbox
        sent,        // a batch was handed to the store
        stored,      // the oldest batch is
        failed,      // it is not, and may be if it is sent again
        refused,     // it is not, and is not going to be
        fenced,      // it is not, as the run has another owner
        elsewhere,   // the run with its key is there
        pause_over,  // the batches may be sent again
        claim,       // ask for it
        load,        // it was claimed already
        claimed,     // the store has given it to this engine
        unclaimed,   // another one has it, or it has ended
        unanswered,  // the store was asked for it, or for its records, and has failed
        loaded,      // the records have come
        restored,    // they were read, and it goes on
        read_ended,  // they were read, and it has ended
        unreadable,  // they cannot be, or another engine executes it
        lapsed,      // the lease is over
        doubted,     // it is in doubt, and what is asked for cannot wait
        unfit,       // a step that begins again does not fit
        drain,       // the engine is going to end
        leave,       // give it back
        park,        // give it back until mail or its time comes
        destroy,     // its run goes
    } kind;
    Batch oldest = Batch::ticks;  // stored, failed, refused, fenced: the batch that the answer is for
};
inline constexpr int inputs = Input::destroy + 1;

enum class Command : std::uint8_t {
    record,           // write the tick, and hand it to the store
    postpone,         // until it is known what the store has
    pass,             // change the run in memory only
    take_mail,        //
    note,             // add a note of what it waits for
    send,             // the newest batch
    send_all,         // those without a good answer
    drop_oldest,      // the oldest batch is settled
    drop_notes,       // the next one says more
    pause,            // before the batches are sent again
    take_postponed,   //
    tell,             // readers what is stored, and run the commands that waited for it
    start_over,       // drop all that happened in memory only
    claim,            //
    load,             //
    restore,          // from the records that have come
    give_back,        // to whoever claims it next
    give_back_claim,  // the same, of what was claimed and is not read
    park,             //
    leave_or_park,    // if it is still
    refuse,           // end it in memory; what is stored stays
};
class Commands {
public:
    Commands(std::initializer_list<Command> all) {
        for (auto command : all) add(command);
    }
    void add(Command command) { all_[size_++] = command; }
    const Command* begin() const { return all_; }
    const Command* end() const { return all_ + size_; }
    bool contains(Command command) const {
        for (auto c : *this)
            if (c == command) return true;
        return false;
    }
    Command only() const { return all_[0]; }

private:
    Command all_[4]{};
    std::uint8_t size_ = 0;
};

inline constexpr unsigned most_failures = 8;  // in a row: with the waits between them about 12 s

bool is_possible(const State&);      // its invariants
bool may_come(const State&, Input);  // whether an input can be one in this state
Commands decide(State&, Input);      // every case

/// It leaves memory, and nothing of it is stored any more.
bool is_over(const State&);
/// Its readers hear that it goes on elsewhere, or later.
bool is_refused(const State&);
/// Its end is in the store, or on the way.
bool is_ended(const State&);
/// A tick of the run becomes a record.
bool is_recorded(const State&);
/// It is not known yet what the store has of it.
bool is_unknown(const State&);
/// All that it has done is stored, and no call is without an answer: it may leave memory without a loss.
bool is_at_rest(const State&);
/// It leaves memory, and the store may have it as this engine's all the same.
bool is_left_behind(const State&);
/// The next command of a run, or a piece of recorded work.
struct Asked {
    bool is_stored = true;  // the tick that it follows from
    bool is_step = false;   // it begins a step
    bool has_turn = true;   // neither does its engine end, nor does the run wait for its turn
    bool has_lease = true;  // nothing is in doubt
};
bool may_begin(const State&, Asked);
}
