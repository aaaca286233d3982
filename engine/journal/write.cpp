// Writes members by their descriptions. Most values are plain names, copied without escapes.
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/json/form.hpp"
#include <algorithm>
#include <cassert>

namespace weft::journal {
using nlohmann::json;
namespace {
bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }
std::string dumped(const json& value) {
    try {
        return value.dump();
    } catch (const json::type_error&) { throw Error(Code::bad_json, "a text that is to be stored is not UTF-8"); }
}
class MemberWriter {
public:
    template <class T> void put_members(const T& object) {
        json_detail::for_each_member<T>([&](auto member) {
            using Member = decltype(member);
            const auto& value = object.*Member::pointer;
            if (is_empty(value) && !demands<T>(Member::name)) return;
            begin(Member::name);
            put(value);
        });
    }
    void begin(std::string_view key) {
        text += text.empty() || text.back() == '{' ? "\"" : ",\"";
        text += key;
        text += "\":";
    }
    void put(const std::string& value) { put(std::string_view(value)); }
    void put(std::string_view value) {
        if (!std::ranges::all_of(value, is_plain)) {
            text += dumped(value);
            return;
        }
        text += '"';
        text += value;
        text += '"';
    }
    void put(bool value) { text += value ? "true" : "false"; }
    void put(double value) { text += json(value).dump(); }
    template <std::integral T> void put(T value) { text += std::to_string(value); }
    void put(const json& value) { text += dumped(value); }
    void put(const RawJson& value) { text += value.text; }
    template <class T> void put(const std::optional<T>& value) { put(*value); }
    template <class T> void put(const std::vector<T>& list) {
        text += '[';
        for (auto& item : list) {
            if (&item != list.data()) text += ',';
            put(item);
        }
        text += ']';
    }
    template <class T> void put(const std::map<std::string, T>& map) {
        text += '{';
        for (auto& [key, item] : map) {
            if (text.back() != '{') text += ',';
            put(key);
            text += ':';
            put(item);
        }
        text += '}';
    }
    void put(const EventRecord& event) { put_object(event); }
    void put(const QuestionRecord& question) { put_object(question); }
    std::string text;

private:
    template <class T> void put_object(const T& object) {
        text += '{';
        put_members(object);
        text += '}';
    }
    template <class T> static bool is_empty(const T& value) {
        if constexpr (std::is_same_v<T, json>) return value.is_null();
        else if constexpr (std::is_same_v<T, RawJson>) return value.text.empty();
        else if constexpr (requires { value.has_value(); }) return !value.has_value();
        else if constexpr (requires { value.empty(); }) return value.empty();
        else return value == T();
    }
};
json sorted(EventRecord event) {
    auto object = json::object();
    object["event"] = std::move(event.event);
    if (event.sum.empty()) object["data"] = std::move(event.data);
    else object["sum"] = std::move(event.sum);
    return object;
}
template <class R> std::string_view kind_in(const R& record) {
    if constexpr (std::is_same_v<R, TickRecord>) return name(record.kind);
    else return R::kind;
}
}
template <class R> std::string write_record(const R& record) {
    MemberWriter writer;
    writer.text = "{";
    const auto add_kind = [&] {
        writer.begin("tick");
        writer.put(kind_in(record));
    };
    constexpr bool is_sorted = std::is_same_v<R, EditedRecord>;  // a fork's members are in alphabetical order
    if (!is_sorted) add_kind();
    writer.put_members(record);
    if (is_sorted) add_kind();
    return writer.text + '}';
}
template std::string write_record(const TickRecord&);
template std::string write_record(const OnceRecord&);
template std::string write_record(const BegunRecord&);
template std::string write_record(const OutcomeRecord&);
template std::string write_record(const EditedRecord&);
template std::string write_record(const RefusedRecord&);
template std::string write_record(const CarriedRecord&);
template std::string write_record(const ProlongedRecord&);

std::string with_questions(std::string line, const std::vector<QuestionRecord>& questions) {
    if (questions.empty()) return line;
    assert(line.ends_with('}'));
    MemberWriter writer;
    line.pop_back();  // the closing brace
    writer.text = std::move(line);
    writer.begin("asked");
    writer.put(questions);
    return std::move(writer.text += '}');
}
storage::Mail cancellation_of(std::string run) {
    return {
        .run = std::move(run), .id = std::string(cancel_mail), .body = write_mail({.cancel = true}), .is_urgent = true};
}
std::string write_mail(const MailRecord& mail) {
    MemberWriter writer;
    writer.text = "{";
    writer.put_members(mail);
    return writer.text + '}';
}
std::string write_event(const EventRecord& event) { return dumped(sorted(event)); }
std::string write_events(const std::vector<EventRecord>& events) {
    auto all = json::array();
    for (auto& event : events) all.push_back(sorted(event));
    return all.dump(-1, ' ', true, json::error_handler_t::replace);
}
std::string write_snapshot(SnapshotRecord snapshot) {
    auto events = json::array();
    for (auto& event : snapshot.events) events.push_back(sorted(std::move(event)));
    json text = {{"tick", "snapshot"}, {"hash", snapshot.hash}, {"sum", snapshot.sum}, {"plans", snapshot.plans}};
    text["events"] = std::move(events);
    auto& slots = text["slots"] = json::object();
    for (auto& [name, value] : snapshot.slots) slots[name] = std::move(value);
    text["state"] = std::move(snapshot.state);
    return text.dump();
}
}
