// Moves values out of the parsed text. Members of later versions stay in it.
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/json/form.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/json/walk.hpp"

namespace weft::journal {
using json_detail::Path;
using nlohmann::json;
namespace {
/// The overloads are in a class, because each must find all others regardless of their order.
struct MemberReader {
    template <class T> static void take(json& from, T& to, const Path& path) {
        json_detail::read(json_detail::shape_of<T>, from, &to, path);
    }
    static void take(json& from, json& to, const Path&) { to = std::move(from); }
    static void take(json& from, RawJson& to, const Path&) { to.text = from.dump(); }
    static void take(json& from, std::optional<RawJson>& to, const Path&) { to = RawJson{from.dump()}; }
    static void take(json& from, std::optional<json>& to, const Path&) { to.emplace(std::move(from)); }
    static void take(json& from, EventRecord& to, const Path& path) { take_members(from, to, path); }
    static void take(json& from, QuestionRecord& to, const Path& path) { take_members(from, to, path); }
    static void take(json& from, std::vector<EventRecord>& to, const Path& path) { take_items(from, to, path); }
    static void take(json& from, std::vector<QuestionRecord>& to, const Path& path) { take_items(from, to, path); }
    static void take(json& from, JsonMap& to, const Path& path) {
        if (!from.is_object()) path.mismatch("an object", from);
        for (auto& [key, item] : from.get_ref<json::object_t&>()) to.emplace(key, std::move(item));
    }
    template <class T> static void take_items(json& from, std::vector<T>& to, const Path& path) {
        if (!from.is_array()) path.mismatch("an array", from);
        for (std::size_t i = 0; i < from.size(); ++i) take(from[i], to.emplace_back(), Path(path, i));
    }
    template <class T> static void take_members(json& from, T& object, const Path& path) {
        if (!from.is_object()) path.mismatch("an object", from);
        json_detail::for_each_member<T>([&](auto member) {
            using Member = decltype(member);
            auto& value = object.*Member::pointer;
            using Value = std::remove_reference_t<decltype(value)>;
            const Path inner(path, std::string_view(Member::name));
            if (const auto found = from.find(Member::name); found != from.end()) return take(*found, value, inner);
            if (!demands<T>(Member::name)) return;
            inner.fail(std::is_same_v<Value, std::string>      ? "missing, expected a string"
                       : std::is_integral_v<Value>             ? "missing, expected an integer"
                       : std::is_same_v<Value, nlohmann::json> ? "missing, expected a value"
                                                               : "missing");
        });
    }
};

std::optional<TickKind> tick_kind(std::string_view kind) {
    for (auto k = TickKind::arrived; k <= TickKind::dropped; k = TickKind(int(k) + 1))
        if (name(k) == kind) return k;
    return {};
}
template <class R> bool take_if(Record& record, json& body, const std::string& kind, const Path& path) {
    if (kind != R::kind) return false;
    MemberReader::take_members(body, record.emplace<R>(), path);
    return true;
}
Record record_in(json body) {
    const Path path("tick");
    if (!body.is_object()) path.mismatch("an object", body);
    const Path inner(path, std::string_view("tick"));
    const auto found = body.find("tick");
    if (found == body.end()) inner.fail("missing, expected a string");
    std::string kind;
    MemberReader::take(*found, kind, inner);
    Record record;
    if (const auto tick = tick_kind(kind)) {
        auto& made = record.emplace<TickRecord>();
        made.kind = *tick;
        MemberReader::take_members(body, made, path);
    } else if (!(take_if<OnceRecord>(record, body, kind, path) || take_if<BegunRecord>(record, body, kind, path) ||
                 take_if<OutcomeRecord>(record, body, kind, path) || take_if<EditedRecord>(record, body, kind, path) ||
                 take_if<RefusedRecord>(record, body, kind, path) || take_if<CarriedRecord>(record, body, kind, path) ||
                 take_if<ProlongedRecord>(record, body, kind, path))) {
        auto& made = record.emplace<OtherRecord>();
        made.other_kind = kind;
        MemberReader::take_members(body, made, path);
    }
    return record;
}
template <class T> T read_object(std::string_view text, std::string_view root) {
    T object;
    auto body = parse_json(text, limits);
    MemberReader::take_members(body, object, Path(root));
    return object;
}
}
Record read_record(std::string_view line) { return record_in(parse_json(line, limits)); }
JournalEntry read_entry(const storage::StoredTick& tick) {
    try {
        return {tick.seq, read_record(tick.body)};
    } catch (const Error& error) {
        throw Error(Code::journal, "tick " + std::to_string(tick.seq) + " cannot be read: " + error.what());
    }
}
std::vector<JournalEntry> read_entries(const storage::History& history) {
    std::vector<JournalEntry> entries;
    entries.reserve(history.ticks.size());
    for (auto& tick : history.ticks) try {
            entries.push_back({tick.seq, read_record(tick.body)});
        } catch (const Error& error) {
            throw Error(Code::journal, "run " + history.run.id + ": tick " + std::to_string(tick.seq) +
                                           " cannot be read by this version: " + error.what());
        }
    return entries;
}
std::optional<MailRecord> read_mail(std::string_view text) {
    try {
        return read_object<MailRecord>(text, "mail");
    } catch (const Error&) { return {}; }
}
SnapshotRecord read_snapshot(std::string_view text) { return read_object<SnapshotRecord>(text, "snapshot"); }
EventRecord read_event(std::string_view text) { return read_object<EventRecord>(text, "event"); }
std::optional<std::vector<EventRecord>> read_events(std::string_view text) {
    auto all = json::parse(text, nullptr, false);
    if (!all.is_array()) return {};
    std::vector<EventRecord> events;
    MemberReader::take(all, events, Path("events"));
    return events;
}

std::string without_timeout(std::string_view line) {
    auto body = parse_json(line, limits);
    body.erase("deadline");
    body.erase("timeout");
    return body.dump();
}
std::string question_text(const json& id, const std::string& run) {
    const auto number = id.is_string() ? id.get<std::string>() : id.dump(-1, ' ', true, json::error_handler_t::replace);
    return run.empty() ? number : run + '#' + number;
}
json line_for_programs(const storage::StoredTick& stored, std::string (*time)(std::int64_t)) {
    auto line = parse_json(stored.body, limits);
    const auto run = line.value("run", std::string());
    line["kind"] = line["tick"];
    line["tick"] = stored.seq;
    line.erase("values");  // never shown: RunOptions::values is for steps and tools
    for (const auto* member : {"at", "due", "first", "deadline"})
        if (const auto at = line.find(member); at != line.end() && at->is_number_integer())
            *at = time(at->get<std::int64_t>());
    if (const auto id = line.find("question"); id != line.end() && !id->is_null()) *id = question_text(*id, run);
    if (const auto asked = line.find("asked"); asked != line.end())
        for (auto& each : *asked) each["question"] = question_text(each["question"], run);
    line.emplace("step", nullptr);
    line.emplace("events", json::array());
    line.emplace("slots", json::object());
    return line;
}
}
