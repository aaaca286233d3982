// Values are compared in their stored form: cut, and "other" if not UTF-8, so that no two lines have the same labels.
#include "engine/telemetry/series.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace weft::telemetry {
namespace {
constexpr std::size_t most_labels = 8;
constexpr std::string_view other = "other";
using LabelArray = std::array<std::string_view, most_labels>;

bool is_word(std::string_view text, bool colons) {
    const auto may_begin = [colons](char c) { return is_letter(c) || c == '_' || (colons && c == ':'); };
    return !text.empty() && may_begin(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return may_begin(c) || is_digit(c); });
}
std::string_view kept(std::string_view value) {
    if (value.size() > Series::longest_value) value = utf8_cut(value, Series::longest_value);
    return is_utf8(value) ? value : other;
}
std::uint64_t hash_of(Series::LabelSpan values) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const auto value : values) hash = hash * 0x100000001b3 ^ std::hash<std::string_view>()(value);
    return hash;
}
void write_escaped(std::string& to, std::string_view text, bool quotes) {
    for (const char c : text)
        if (c == '\n') to += "\\n";
        else {
            if (c == '\\' || (quotes && c == '"')) to += '\\';
            to += c;
        }
}
}

void write_number(std::string& to, double value) {
    if (std::isnan(value)) {
        to += "NaN";
        return;
    }
    if (std::isinf(value)) {
        to += value > 0 ? "+Inf" : "-Inf";
        return;
    }
    char text[40];
    const bool is_whole = std::abs(value) < 9007199254740992.0 && value == std::floor(value);
    const auto end = is_whole ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value))
                              : std::to_chars(text, text + sizeof text, value);
    to.append(text, end.ptr);
}

Series::Series(Description is) : is_(std::move(is)) {
    const auto refuse = [this](const std::string& why) {
        throw Error(Code::usage, "the metric '" + excerpt(is_.name, 100) + "' " + why);
    };
    if (!is_word(is_.name, true)) refuse("has an invalid name: use letters, digits and '_'");
    if (is_.labels.size() > most_labels) refuse("has more than 8 labels");
    for (const auto& label : is_.labels)
        if (!is_word(label, false) || label == "le" || label.starts_with("__"))
            refuse("has the label '" + excerpt(label, 100) + "': use letters, digits and '_', and not 'le'");
    if (is_.kind == Kind::histogram && (is_.buckets.empty() || !std::is_sorted(is_.buckets.begin(), is_.buckets.end())))
        refuse("is a histogram without buckets, or its buckets are not in rising order");
    if (is_.labels.empty()) find(LabelSpan());  // writes 0 instead of nothing
}
Series::Sample* Series::find(std::uint64_t hash, LabelSpan values) {
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto i = first; i != last; ++i) {
        auto& one = all_[i->second];
        if (std::equal(values.begin(), values.end(), one.values.begin(), one.values.end())) return &one;
    }
    return nullptr;
}
Series::Sample& Series::find(LabelSpan given) {
    LabelArray texts;
    texts.fill("");
    for (std::size_t i = 0; i < std::min(given.size(), is_.labels.size()); ++i) texts[i] = kept(given[i]);
    LabelSpan values(texts.data(), is_.labels.size());
    auto hash = hash_of(values);
    if (auto* one = find(hash, values)) return *one;
    if (all_.size() + 1 >= most) {
        texts.fill(other);
        hash = hash_of(values);
        if (auto* one = find(hash, values)) return *one;
    }
    auto& one = all_.emplace_back();
    one.values.assign(values.begin(), values.end());
    if (is_.kind == Kind::histogram) one.counts.resize(is_.buckets.size() + 1);
    by_hash_.emplace(hash, all_.size() - 1);
    return one;
}
void Series::add(LabelSpan values, double by) { find(values).value += by; }
void Series::set(LabelSpan values, double to) { find(values).value = to; }
void Series::observe(LabelSpan values, double value) {
    auto& one = find(values);
    const auto bucket = std::lower_bound(is_.buckets.begin(), is_.buckets.end(), value) - is_.buckets.begin();
    ++one.counts[static_cast<std::size_t>(bucket)];
    one.value += value;
}
void Series::write_labels(std::string& to, const Sample& one, std::string_view le) const {
    if (is_.labels.empty() && le.empty()) return;
    char before = '{';
    const auto write = [&](std::string_view label, std::string_view value) {
        ((to += before) += label) += "=\"";
        write_escaped(to, value, true);
        to += '"';
        before = ',';
    };
    for (std::size_t i = 0; i < is_.labels.size(); ++i) write(is_.labels[i], one.values[i]);
    if (!le.empty()) write("le", le);
    to += '}';
}
void Series::write(std::string& to) const {
    static constexpr std::string_view kinds[] = {"counter", "gauge", "histogram"};
    if (all_.empty()) return;
    ((to += "# HELP ") += is_.name) += ' ';
    write_escaped(to, is_.help, false);
    ((((to += "\n# TYPE ") += is_.name) += ' ') += kinds[static_cast<std::size_t>(is_.kind)]) += '\n';
    for (const auto& one : all_) {
        const auto line = [&](std::string_view suffix, std::string_view le, double value) {
            (to += is_.name) += suffix;
            write_labels(to, one, le);
            write_number(to += ' ', value);
            to += '\n';
        };
        if (is_.kind != Kind::histogram) {
            line("", {}, one.value);
            continue;
        }
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < one.counts.size(); ++i) {
            count += one.counts[i];
            std::string le;
            if (i < is_.buckets.size()) write_number(le, is_.buckets[i]);
            else le = "+Inf";
            line("_bucket", le, static_cast<double>(count));
        }
        line("_sum", {}, one.value);
        line("_count", {}, static_cast<double>(count));
    }
}
}
