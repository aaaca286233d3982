// Reads expressions. Each refusal is one sentence with the whole expression, the bad piece and the cure.
#include "engine/schedule/cron.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <span>
#include <utility>

namespace weft::schedule {
namespace {
constexpr std::size_t longest_expression = 256;
constexpr std::string_view month_names[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                            "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view weekday_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
struct CronField {
    std::string_view name;
    int low, high;
    std::span<const std::string_view> names;
    std::string_view also;  // what its values can be besides numbers
};
constexpr CronField minute{"minute", 0, 59, {}, ""}, hour{"hour", 0, 23, {}, ""},
    day{"day of the month", 1, 31, {}, ", or L for the last one"},
    month{"month", 1, 12, month_names, ", or JAN to DEC"},
    weekday{"day of the week", 0, 7, weekday_names, ", SUN to SAT, 5L for the last Friday or 5#2 for the second one"};
constexpr std::pair<std::string_view, std::string_view> nicknames[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
    {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"}};

constexpr std::uint64_t bit(int n) { return std::uint64_t(1) << n; }
std::string in_quotes(std::string_view text) { return '"' + excerpt(text, longest_expression) + '"'; }
std::string from_to(int low, int high) { return std::to_string(low) + " to " + std::to_string(high); }
/// A number of at most two digits, else -1.
int small_number(std::string_view text) {
    int found = text.empty() || text.size() > 2 ? -1 : 0;
    for (const char c : text) found = is_digit(c) && found >= 0 ? found * 10 + (c - '0') : -1;
    return found;
}

class CronReader {
public:
    explicit CronReader(std::string_view all) : all_(all) {}
    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(Code::usage, "the cron expression " + in_quotes(all_) + " " + why);
    }
    /// A bit for each value in a list of ranges and steps.
    std::uint64_t values(const CronField& field, std::string_view text) const {
        std::uint64_t found = 0;
        each(field, text, [&](std::string_view item) { found |= range(field, item); });
        return found;
    }
    std::uint64_t days(std::string_view text, bool& last) const {
        std::uint64_t found = 0;
        each(day, text, [&](std::string_view item) {
            if (equal_ignoring_case(item, "L")) last = true;
            else found |= range(day, item);
        });
        return found;
    }
    std::array<std::uint8_t, 6> weekdays(std::string_view text) const {
        std::array<std::uint8_t, 6> found{};
        const auto add = [&](std::size_t week, std::uint64_t bits) {  // 7 is Sunday, too
            found[week] |= static_cast<std::uint8_t>((bits | bits >> 7) & 0x7f);
        };
        each(weekday, text, [&](std::string_view item) {
            const auto mark = item.find('#');
            if (mark != item.npos) {
                const int week = small_number(item.substr(mark + 1));
                if (week < 1 || week > 5) refuse_value(weekday, item);
                add(static_cast<std::size_t>(week), bit(value(weekday, item.substr(0, mark), item)));
            } else if (item.size() > 1 && lower(item.back()) == 'l') {
                add(0, bit(value(weekday, item.substr(0, item.size() - 1), item)));
            } else {
                for (std::size_t week = 1; week <= 5; ++week) add(week, range(weekday, item));
            }
        });
        return found;
    }

private:
    template <class Take> void each(const CronField& field, std::string_view text, Take take) const {
        for (std::size_t begin = 0; begin <= text.size();) {
            const auto end = std::min(text.find(',', begin), text.size());
            if (begin == end) refuse_value(field, text);
            take(text.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    [[noreturn]] void refuse_value(const CronField& field, std::string_view piece) const {
        refuse("has the " + std::string(field.name) + " " + in_quotes(piece) + ": write " +
               from_to(field.low, field.high) + std::string(field.also));
    }
    int value(const CronField& field, std::string_view text, std::string_view item) const {
        const auto name = std::find_if(field.names.begin(), field.names.end(),
                                       [&](std::string_view known) { return equal_ignoring_case(known, text); });
        if (name != field.names.end()) return static_cast<int>(name - field.names.begin()) + field.low;
        const int found = small_number(text);
        if (found < field.low || found > field.high) refuse_value(field, item);
        return found;
    }
    std::uint64_t range(const CronField& field, std::string_view item) const {
        const auto slash = item.find('/');
        const auto base = item.substr(0, slash);
        const auto dash = base.find('-');
        int first = field.low, last = field.high, step = 1;
        if (base != "*") {
            first = value(field, base.substr(0, dash), item);
            if (dash != base.npos) last = value(field, base.substr(dash + 1), item);
            else if (slash == item.npos) last = first;
        }
        if (&field == &weekday && last == 0 && first > 0) last = 7;  // FRI-SUN
        if (first > last)
            refuse("has the " + std::string(field.name) + " " + in_quotes(item) + ", which runs backwards: write \"" +
                   std::to_string(first) + "-" + std::to_string(field.high) + "," + std::to_string(field.low) + "-" +
                   std::to_string(last) + "\"");
        if (slash != item.npos) {
            step = small_number(item.substr(slash + 1));
            if (step < 1 || step > field.high - field.low)
                refuse("has the " + std::string(field.name) + " " + in_quotes(item) + ": write a step of " +
                       from_to(1, field.high - field.low) + ", because each " +
                       (field.name == minute.name ? "hour" : "field") + " begins anew");
        }
        std::uint64_t found = 0;
        for (int n = first; n <= last; n += step) found |= bit(n);
        return found;
    }

    std::string_view all_;
};

bool comes_ever(const CronFields& fields) {
    if (fields.any_day || !fields.any_weekday || fields.last_day) return true;
    constexpr int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int each = 1; each <= 12; ++each)
        if ((fields.months & bit(each)) && (fields.days & (bit(lengths[each - 1] + 1) - 1))) return true;
    return false;
}
}

Cron::Cron(std::string_view expression) {
    const CronReader reader(trimmed(expression));
    if (expression.size() > longest_expression)
        reader.refuse("is longer than " + std::to_string(longest_expression) + " bytes: write two schedules");
    for (auto rest = trimmed(expression); !rest.empty(); rest = trimmed_front(rest)) {
        const auto end = std::find_if(rest.begin(), rest.end(), [](char c) { return is_blank(c); });
        const auto length = static_cast<std::size_t>(end - rest.begin());
        text_ += (text_.empty() ? "" : " ") + std::string(rest.substr(0, length));
        rest.remove_prefix(length);
    }
    std::string_view fields = text_;
    if (fields.starts_with('@')) {
        const auto* known = std::find_if(std::begin(nicknames), std::end(nicknames), [&](const auto& nickname) {
            return equal_ignoring_case(nickname.first, fields);
        });
        if (known == std::end(nicknames))
            reader.refuse("is no nickname: write one of " +
                          with_commas(nicknames, [](const auto& nickname) { return std::string(nickname.first); }));
        fields = known->second;
    }
    const auto count = fields.empty() ? 0 : std::count(fields.begin(), fields.end(), ' ') + 1;
    if (fields.starts_with("TZ=") || fields.starts_with("CRON_TZ="))
        reader.refuse("begins with a zone: name the zone beside the expression");
    if (count != 5)
        reader.refuse("has " + std::to_string(count) + (count == 1 ? " field" : " fields") +
                      ": write five, for minute, hour, day of the month, month and day of the week, as in "
                      "\"0 9 * * 1-5\"");
    fields_.minutes = reader.values(minute, cut_at(fields, ' '));
    fields_.hours = static_cast<std::uint32_t>(reader.values(hour, cut_at(fields, ' ')));
    const auto days = cut_at(fields, ' ');
    fields_.any_day = days == "*";
    fields_.days = static_cast<std::uint32_t>(reader.days(days, fields_.last_day));
    fields_.months = static_cast<std::uint32_t>(reader.values(month, cut_at(fields, ' ')));
    fields_.any_weekday = fields == "*";
    fields_.weekdays = reader.weekdays(fields);
    if (!comes_ever(fields_)) reader.refuse("never comes, because its months do not have its days: write other days");
}
}
