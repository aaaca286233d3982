// Record types have different members; a compile-time check by name finds the shared ones.
#include "engine/journal/record.hpp"
#include <charconv>

namespace weft::journal {
std::string_view name(TickKind kind) noexcept {
    constexpr std::string_view names[] = {"arrived", "finished", "failed", "due", "ended", "dropped"};
    return names[std::size_t(kind)];
}
std::string_view kind_of(const Record& record) {
    if (const auto* other = std::get_if<OtherRecord>(&record)) return other->other_kind;
    return std::visit(
        []<class R>(const R& r) -> std::string_view {
            if constexpr (requires { r.fan_out; }) return name(r.kind);
            else return R::kind;
        },
        record);
}
std::int64_t time_of(const Record& record) {
    return std::visit([](const auto& r) { return r.at; }, record);
}
const std::string& path_of(const Record& record) {
    return std::visit([](const auto& r) -> const std::string& { return r.run; }, record);
}
const TickRecord* tick_of(const Record& record) {
    if (const auto* other = std::get_if<OtherRecord>(&record)) return other;
    return std::get_if<TickRecord>(&record);
}
Labels labels_of(const Record& record) {
    return std::visit(
        [](const auto& r) {
            Labels labels;
            if constexpr (requires { r.step; }) {
                labels.step = r.step;
                labels.attempt = r.attempt.value_or(0);
            }
            if constexpr (requires { r.name; })
                if (r.name) labels.name = *r.name;
            if constexpr (requires { r.error; })
                if (r.error) labels.error = *r.error;
            if constexpr (requires { r.mail; }) labels.mail = r.mail;
            return labels;
        },
        record);
}
Declaration declaration_of(const Record& record) {
    return std::visit(
        [](const auto& r) -> Declaration {
            if constexpr (requires { r.hash; }) return {r.hash, r.plan};
            else return {};
        },
        record);
}
std::optional<std::int64_t> sleep_end_of(const Record& record) {
    const auto* outcome = std::get_if<OutcomeRecord>(&record);
    if (!outcome || !outcome->name || !outcome->name->starts_with(sleep_name) || !outcome->value) return {};
    const auto& text = outcome->value->text;
    std::int64_t end = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), end);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return {};
    return end;
}
Edits edits_of(const Record& record) {
    return std::visit(
        [](const auto& r) -> Edits {
            if constexpr (requires { r.slots; }) return {&r.slots, &r.appended};
            else return {};
        },
        record);
}
}
