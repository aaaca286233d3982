// One function for each group of inputs. A run that is over stays over, and only counts the remaining answers.
#include "engine/durable/machine.hpp"
#include <cassert>
#include <utility>

namespace weft::durability {
namespace {
using enum Phase;
bool is_answer(Input::Kind kind) { return kind >= Input::stored && kind <= Input::fenced; }
DurableCommands lose(DurableState& s, Reason reason) {
    s.phase = lost;
    s.reason = reason;
    if (reason == Reason::lapsed) s.is_ours = false;  // other engines notice the dead owner
    return {DurableCommand::refuse};
}
DurableCommands leave(DurableState& s, Reason reason) {
    const bool can_give_back = s.phase == live && s.delivery == Delivery::flowing;
    s.phase = left;
    s.reason = reason;
    if (can_give_back) s.is_ours = false;
    DurableCommands commands = {};
    if (can_give_back) commands.add(DurableCommand::give_back);
    if (reason != Reason::closed) commands.add(DurableCommand::refuse);
    return commands;
}
DurableCommands add(DurableState& s, bool ends) {
    if (s.phase == born) {
        s.phase = creating;
        s.is_ours = !s.is_detached;
    }
    if (ends && !is_ended(s)) s.phase = s.phase == creating ? ended_early : ended;
    s.says_idle = false;
    ++s.batches;
    if (s.delivery != Delivery::flowing) return {};
    return {DurableCommand::send};
}
DurableCommands note(DurableState& s) {
    if (s.phase != live || s.says_idle) return {};
    s.says_idle = true;
    ++s.notes;
    if (s.delivery != Delivery::flowing) return {DurableCommand::note};
    return {DurableCommand::note, DurableCommand::send};
}
DurableCommands settle(DurableState& s) {
    s.failures = 0;
    if (s.phase == live || s.phase == ended) return {DurableCommand::drop_oldest, DurableCommand::tell};
    s.phase = s.phase == creating ? live : ended;
    if (!s.is_detached) return {DurableCommand::drop_oldest, DurableCommand::take_postponed, DurableCommand::tell};
    s.phase = left;
    s.reason = Reason::detached;
    return {DurableCommand::drop_oldest, DurableCommand::refuse};
}
DurableCommands try_again(DurableState& s) {
    if (s.under_way > 0) return {};
    if (s.batches == 0) {
        s.notes = 0;
        s.failures = 0;
        s.says_idle = false;
        s.delivery = Delivery::flowing;
        return {DurableCommand::drop_notes};
    }
    if (++s.failures > most_failures) return lose(s, Reason::unstored);
    s.delivery = Delivery::pausing;
    return {DurableCommand::pause};
}
DurableCommands answer(DurableState& s, Input input) {
    --s.under_way;
    if (is_over(s)) return {};
    if (s.delivery != Delivery::flowing) return try_again(s);
    if (input.kind == Input::refused) return lose(s, Reason::unstored);
    // A note is void once the run has ended, and a stored end needs no second one.
    const bool is_needless = is_ended(s) && input.oldest != BatchContent::ticks;
    if (input.kind == Input::fenced && !is_needless) return lose(s, Reason::taken_over);
    if (input.kind == Input::failed) {
        s.delivery = Delivery::failed;
        return try_again(s);
    }
    --(input.oldest == BatchContent::note ? s.notes : s.batches);
    if (input.kind == Input::fenced) return {DurableCommand::drop_oldest};
    return settle(s);
}
DurableCommands come_back(DurableState& s, Input::Kind kind) {
    switch (kind) {
    case Input::elsewhere:
        if (is_over(s)) return {};
        s = {.phase = claiming, .is_ours = true};
        return {DurableCommand::start_over, DurableCommand::claim};
    case Input::claim: s.is_ours = true; return {DurableCommand::claim};
    case Input::load:
        s.phase = loading;
        s.is_ours = true;
        return {DurableCommand::load};
    case Input::claimed:
    case Input::unclaimed:
        s.is_ours = kind == Input::claimed;
        if (is_over(s) && !s.is_ours) return {};
        if (!is_over(s)) s.phase = loading;
        return {DurableCommand::load};
    case Input::unanswered:
        if (is_over(s)) return {};
        return lose(s, Reason::not_loaded);
    case Input::early: s.phase = claiming; return {};
    case Input::loaded:
        if (!is_over(s)) return {DurableCommand::restore};
        if (!s.is_ours) return {};
        s.is_ours = false;
        return {DurableCommand::give_back_claim};
    case Input::unreadable:
        if (is_over(s)) return {};
        lose(s, Reason::not_loaded);
        if (!std::exchange(s.is_ours, false)) return {DurableCommand::refuse};
        return {DurableCommand::give_back_claim, DurableCommand::refuse};
    default: s.phase = kind == Input::restored ? live : ended; return {};
    }
}
}
bool is_over(const DurableState& s) { return s.phase == left || s.phase == lost; }
bool is_refused(const DurableState& s) {
    return is_over(s) && s.reason != Reason::parked && s.reason != Reason::closed;
}
bool is_ended(const DurableState& s) { return s.phase == ended || s.phase == ended_early; }
bool is_recorded(const DurableState& s) { return s.phase == born || s.phase == creating || s.phase == live; }
bool is_unknown(const DurableState& s) {
    return s.phase == claiming || s.phase == loading || (s.phase == creating && s.is_keyed);
}
bool is_at_rest(const DurableState& s) {
    return s.phase == live && s.delivery == Delivery::flowing && s.batches + s.notes + s.under_way == 0;
}
bool is_left_behind(const DurableState& s) { return is_over(s) && s.is_ours; }

bool may_begin(const DurableState& s, WorkRequest asked) {
    if (is_over(s)) return true;                     // it only helps to end the run
    if (is_ended(s) && asked.is_step) return false;  // of a child, which is cancelled once the end is stored
    return asked.is_stored && asked.has_lease && (asked.has_turn || !asked.is_step);
}

bool is_possible(const DurableState& s) {
    const bool is_left = s.reason >= Reason::given_back && s.reason <= Reason::closed;
    if ((s.phase == left) != is_left || (s.phase == lost) != (s.reason >= Reason::taken_over)) return false;
    if (is_over(s)) return true;
    const bool has_log = s.phase != born && s.phase != claiming && s.phase != loading;
    if (!has_log && s.batches + s.notes + s.under_way > 0) return false;
    if (s.under_way > s.batches + s.notes || s.failures > most_failures) return false;
    if (s.delivery == Delivery::failed && s.under_way == 0) return false;
    if (s.delivery == Delivery::pausing && (s.under_way > 0 || s.batches == 0)) return false;
    return !s.says_idle || s.phase == live;
}
bool may_come(const DurableState& s, Input input) {
    const bool is_sending = !is_over(s) && s.delivery == Delivery::flowing;
    switch (input.kind) {
    case Input::arrival:
    case Input::failure:
    case Input::idle:
    case Input::mail:
    case Input::lapsed:
    case Input::doubted:
    case Input::unfit:
    case Input::drain:
    case Input::leave:
    case Input::destroy: return true;
    case Input::tick: return is_recorded(s);
    case Input::end: return is_recorded(s) || (s.phase == ended && s.batches == 0);
    case Input::sent: return is_sending && s.under_way < s.batches + s.notes;
    case Input::stored:
    case Input::failed:
    case Input::refused:
    case Input::fenced:
        if (s.under_way == 0 || is_over(s)) return s.under_way > 0;
        if (input.oldest == BatchContent::end && s.phase != ended) return false;
        return (input.oldest == BatchContent::note ? s.notes : s.batches) > 0;
    case Input::elsewhere: return s.phase == creating || s.phase == ended_early || is_over(s);
    case Input::pause_over: return !is_over(s) && s.delivery == Delivery::pausing;
    case Input::claim:
    case Input::load: return s.phase == claiming;
    case Input::claimed:
    case Input::unclaimed: return s.phase == claiming || is_over(s);
    case Input::unanswered: return s.phase == claiming || s.phase == loading || is_over(s);
    case Input::early: return s.phase == loading && !s.is_ours;
    case Input::loaded: return s.phase == loading || is_over(s);
    case Input::restored:
    case Input::read_ended: return s.phase == loading;
    case Input::unreadable: return s.phase == loading || s.phase == live || s.phase == ended || is_over(s);
    case Input::park: return is_at_rest(s);
    }
    return false;
}
DurableCommands decide(DurableState& s, Input input) {
    assert(is_possible(s) && may_come(s, input));
    const auto decided = [&]() -> DurableCommands {
        switch (input.kind) {
        case Input::arrival:
            if (is_unknown(s)) return {DurableCommand::postpone};
            [[fallthrough]];
        case Input::failure: return {is_recorded(s) ? DurableCommand::record : DurableCommand::pass};
        case Input::tick: return add(s, false);
        case Input::end: return add(s, true);
        case Input::idle: return note(s);
        case Input::mail:
            if (s.phase != live && s.phase != creating) return {};  // a loading run gets its mail with its records
            return {DurableCommand::take_mail};
        case Input::sent: ++s.under_way; return {};
        case Input::pause_over: s.delivery = Delivery::flowing; return {DurableCommand::send_all};
        case Input::drain:
            if (!is_at_rest(s)) return {};
            return {DurableCommand::leave_or_park};
        case Input::park:
            s.phase = left;
            s.reason = Reason::parked;
            s.is_ours = false;
            return {DurableCommand::park};
        case Input::lapsed:
        case Input::doubted:
        case Input::unfit:
        case Input::leave:
        case Input::destroy:
            if (is_over(s) || (input.kind == Input::destroy && is_ended(s))) return {};
            if (input.kind == Input::leave) return leave(s, Reason::given_back);
            if (input.kind == Input::destroy) return leave(s, Reason::closed);
            return lose(s, input.kind == Input::lapsed    ? Reason::lapsed
                           : input.kind == Input::doubted ? Reason::in_doubt
                                                          : Reason::unfit);
        default: return is_answer(input.kind) ? answer(s, input) : come_back(s, input.kind);
        }
    }();
    assert(is_possible(s));
    return decided;
}
}
