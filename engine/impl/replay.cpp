// Replay calls each step in a separate run without readers, with a scope that is already cancelled: no awaited
// operation begins.
#include "engine/replay.hpp"
#include "engine/core/event_reader.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/notes.hpp"
#include "engine/core/slots_fold.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/core/wait/scope.hpp"
#include "engine/error.hpp"
#include "engine/event_json.hpp"
#include "engine/journal/format.hpp"
#include "engine/storage/answer.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

namespace weft {
using namespace storage;
namespace {
using namespace core;
using journal::CarriedRecord, journal::EventRecord, journal::TickKind, journal::TickRecord;
using nlohmann::json;

struct RefusingScope final : Scope {
    explicit RefusingScope(const Runtime& runtime) : Scope(runtime) { cancel(); }
    void abandoned() override {}
    void orphaned() override {}
};
/// The first difference between two values, as a JSON pointer; empty if they are equal.
std::string first_difference(const json& stored, const json& made) {
    const auto patch = json::diff(stored, made);
    if (patch.empty()) return {};
    auto place = patch[0].at("path").get<std::string>();
    if (!place.ends_with("/-")) return place;  // "-" is the position behind a list's last element
    place.resize(place.size() - 2);
    return place + '/' + std::to_string(stored.at(json::json_pointer(place)).size());
}
constexpr std::size_t shown_before = 30, shown_at_most = 80;  // bytes

/// A part of a text around a position, in ASCII, so that any terminal can show it.
std::string around(std::string_view text, std::size_t at) {
    const auto begin = utf8_cut(text, at < shown_before ? 0 : at - shown_before).size();
    const auto part = utf8_cut(text.substr(begin), shown_at_most);
    return (begin > 0 ? "..." : "") + json(part).dump(-1, ' ', true, json::error_handler_t::replace) +
           (begin + part.size() < text.size() ? "..." : "");
}
std::string shortened(const json& value) {
    const auto text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() <= shown_at_most ? text : text.substr(0, shown_at_most) + "...";
}
std::size_t characters(std::string_view text) {
    return std::size_t(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}
/// Describes the values at a position, stored and now; for texts, from the first different character on.
std::string both_at(const json& stored, const json& made, const std::string& place) {
    const json::json_pointer at(place);
    if (!stored.contains(at)) return ": stored nothing, now " + shortened(made.at(at));
    if (!made.contains(at)) return ": stored " + shortened(stored.at(at)) + ", now nothing";
    const auto &before = stored.at(at), &now = made.at(at);
    if (!before.is_string() || !now.is_string()) return ": stored " + shortened(before) + ", now " + shortened(now);
    const std::string_view one = before.get_ref<const std::string&>(), other = now.get_ref<const std::string&>();
    const auto same = std::size_t(std::ranges::mismatch(one, other).in1 - one.begin());
    const auto whole = utf8_cut(one, same).size();
    return ", from its character " + std::to_string(characters(one.substr(0, whole)) + 1) + " on: stored " +
           around(one, whole) + ", now " + around(other, whole);
}
void add_missing(json& to, const json& from) {
    if (to.is_array() && from.is_array() && to.size() == from.size())
        for (std::size_t i = 0; i < to.size(); ++i) add_missing(to[i], from[i]);
    if (!to.is_object() || !from.is_object()) return;
    for (const auto& [name, value] : from.items())
        if (to.contains(name)) add_missing(to[name], value);
        else to[name] = value;
}
class Replayer {
public:
    Replayer(std::shared_ptr<const Definition> definition, const History& history)
        : loop_(io_.get_executor()),
          run_(loop_, loop_.mailbox(), definition, 0),
          history_(history),
          fold_(named_plan(*definition)),
          slots_(*definition, run_.slots),
          reader_(loop_, run_, history_, fold_) {
        run_.more().track = std::make_unique<Track>();
    }
    Replayed replay() {
        for (auto& stored : history_.ticks) {
            const auto entry = journal::read_entry(stored);
            if (!journal::path_of(entry.record).empty()) continue;
            if (auto* carried = std::get_if<CarriedRecord>(&entry.record)) refuse_carried(entry.number, *carried);
            const auto* tick = std::get_if<TickRecord>(&entry.record);
            if (tick && tick->kind == TickKind::finished) compare(entry.number, *tick);
            if (done_.difference) return done_;
            fold_.add(entry);
            run_.extras->values = fold_.values;
            slots_.add(journal::edits_of(entry.record));
        }
        return done_;
    }

private:
    [[noreturn]] void refuse_carried(std::uint64_t seq, const CarriedRecord& carried) const {
        throw Error(Code::journal, "the run changed to another declaration at tick " + std::to_string(seq) + " (" +
                                       carried.hash + "): its earlier ticks cannot be replayed");
    }
    void compare(std::uint64_t seq, const TickRecord& tick) {
        if (tick.step.empty() || !tick.token) throw Error(Code::journal, "a tick is incomplete");
        if (step_named(*run_.definition, tick.step) == no_step)
            return differ(seq, tick.step, "the workflow no longer has this step");
        const auto made = call_again(seq, tick);
        if (!made) return void(++done_.skipped);
        ++done_.steps;
        compare_events(seq, tick.step, tick.events, made->events);
        auto before = tick;
        add_later_fields(before);
        compare_slots(seq, tick.step, before.slots, made->slots);
        compare_slots(seq, tick.step, before.appended, made->appended);
    }
    void compare_slots(std::uint64_t seq, const std::string& step, const json& stored, const json& made) {
        if (const auto at = first_difference(stored, made); !at.empty())
            differ(seq, step, "its slots differ at " + at + both_at(stored, made, at));
    }
    void compare_events(std::uint64_t seq, const std::string& step, const std::vector<EventRecord>& stored,
                        const std::vector<EventRecord>& made) {
        for (std::size_t i = 0; i < std::max(stored.size(), made.size()); ++i) {
            const auto event = [i](const std::vector<EventRecord>& all) {
                return i < all.size() ? all[i].event : std::string("nothing");
            };
            if (event(stored) != event(made))
                return differ(seq, step, "it emitted " + event(stored) + " and now emits " + event(made));
            const auto before = with_later_fields(stored[i]);
            if (before.data == made[i].data && before.sum == made[i].sum) continue;
            const auto at = before.sum == made[i].sum ? first_difference(before.data, made[i].data) : std::string();
            differ(seq, step,
                   "its event " + event(made) + " differs" +
                       (at.empty() ? "" : " at " + at + both_at(before.data, made[i].data, at)));
            done_.difference->is_of_checksum = !stored[i].sum.empty();
            return;
        }
    }
    /// Fills in the defaults of optional fields that the event or slot type has got since then.
    EventRecord with_later_fields(EventRecord stored) const {
        const auto* type = find_event(*run_.definition, stored.event);
        if (!type || stored.data.is_null()) return stored;
        try {
            add_missing(stored.data, to_json(*type, read_event(*type, stored.data).get()));
        } catch (const Error&) {}  // differ() shows the unconverted data
        return stored;
    }
    void add_later_fields(TickRecord& stored) {
        try {
            RunCore alone(loop_, loop_.mailbox(), run_.definition, 0);
            SlotsFold(*run_.definition, alone.slots).add({&stored.slots, &stored.appended});
            const auto read = record_slots(alone);
            for (auto* part : {&stored.slots, &stored.appended}) {
                journal::JsonMap renamed;
                for (auto& [name, value] : *part) {
                    const auto present = stored_name(*run_.definition, *find_slot(*run_.definition, name));
                    add_missing(renamed[present] = std::move(value), read.at(present));
                }
                *part = std::move(renamed);
            }
        } catch (const Error&) {}  // differ() shows the unconverted data
    }
    void differ(std::uint64_t seq, const std::string& step, const std::string& what) {
        if (!done_.difference) done_.difference = Difference{seq, step, what};
    }
    /// The tick that the step makes now, in its stored form; empty if the step would wait or fails.
    std::optional<TickRecord> call_again(std::uint64_t seq, const TickRecord& tick) {
        if (*tick.token >= fold_.state().tokens.size()) return {};  // the fold refuses it
        const auto h = Handle(*tick.token);
        const Token& token = fold_.state().tokens[h];
        if (token.phase != TokenPhase::running || !may_be_one_step(tick.step, run_.definition->steps[token.step].name))
            return {};  // the fold refuses it too: the token's input may not fit the step
        const StepIndex step = token.step;
        const StepType& type = run_.definition->steps[step];
        const auto notes = fold_.notes.find(h);
        const auto effects = fold_.effects.find(h);
        if (!type.call && notes == fold_.notes.end() && effects == fold_.effects.end()) return {};
        RunCore again(loop_, loop_.mailbox(), run_.definition, 0);
        again.slots.add_copies(run_.slots);
        auto& track = *(again.more().track = std::make_unique<Track>());
        track.replays = true;
        if (notes != fold_.notes.end()) track.notes[h] = notes->second;
        if (effects != fold_.effects.end()) track.effects[h] = effects->second;
        if (h < fold_.invocations.size()) track.invocation(h) = fold_.invocations[h];
        again.extras->id = history_.run.id;
        again.named = true;
        place(again, step, h);
        again.state.tokens[h].attempts = std::uint8_t(tick.attempt.value_or(1) - 1);
        Buffer<Emitted> emitted;
        RefusingScope scope(loop_.runtime());
        WaitingCall call(again, step, h, emitted, &scope);
        try {
            if (type.call) type.call(call);
            else if (!type.start(call)) return {};
        } catch (...) { return {}; }
        if (PrivateAccess::staged(call.context).find(&slot_type<NextStart>)) {
            differ(seq, tick.step, "it begins the run again");
            return {};
        }
        std::vector<EventRecord> events;
        for (auto& e : emitted) events.push_back(record_event(again, e.cell));
        done_.made = journal::write_events(events);
        const Tick made{.kind = Tick::finished, .fan_out = call.fan_out, .token = h, .events = emitted};
        return record_tick(again, made, &PrivateAccess::staged(call.context), 0);
    }
    void place(RunCore& again, StepIndex step, Handle at) {
        const Token& token = fold_.state().tokens[at];
        std::vector<Handle> events;
        if (token.cell != none) events.push_back(token.cell);
        for (Handle i = token.cell == none ? token.items : none; i != none; i = fold_.state().tokens[i].next)
            events.push_back(fold_.state().tokens[i].cell);
        reader_.place(again, step, events, token.cell == none, at);
    }
    boost::asio::io_context io_{1};
    core::LoopCore loop_;
    RunCore run_;
    const History& history_;
    Fold fold_;
    SlotsFold slots_;
    StoredEventReader reader_;
    Replayed done_;
};
}
std::string Difference::sentence() const {
    return "step " + step + " has another result at tick " + std::to_string(tick) + ": " + what;
}
std::string Replayed::counts() const {
    return std::to_string(steps) + (steps == 1 ? " step" : " steps") + " made again, " + std::to_string(skipped) +
           " skipped";
}
std::string difference_between(const Replayed& before, const Replayed& now) {
    const auto one = journal::read_events(before.made), other = journal::read_events(now.made);
    if (!one || !other || one->size() != other->size()) return {};
    for (std::size_t i = 0; i < one->size(); ++i) {
        const auto &stored = (*one)[i].data, &made = (*other)[i].data;
        if (const auto at = first_difference(stored, made); !at.empty()) return " at " + at + both_at(stored, made, at);
    }
    return {};
}
Replayed replay(std::shared_ptr<const Definition> definition, const History& history) {
    if (!definition || !definition->durable)
        throw Error(Code::usage, "a workflow without durable runs cannot be replayed: wrap it in durable()");
    const auto declared = definition->durable->hash;
    std::string why;
    try {
        return Replayer(std::move(definition), history).replay();
    } catch (const Error& error) { why = error.what(); } catch (const json::exception&) {
        why = "a tick is incomplete";
    }
    if (history.run.hash != declared)
        why += "; the run has another declaration (" + history.run.hash + ") of " + history.run.workflow +
               " than this one (" + declared + ")";
    throw Error(Code::journal, "run " + history.run.id + " cannot be replayed: " + why);
}
History history_of(Store& store, const std::string& run) {
    return storage::answer_of<History>([&](auto then) { store.load(run, std::move(then)); });
}
}
