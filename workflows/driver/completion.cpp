// The whole answer is written at once at the end, so that a process that is ended by its alarm has written nothing.
#include "workflows/driver/completion.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "workflows/driver/completion_values.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sys/time.h>
#include <unistd.h>

namespace weft::driver {
namespace {
// ----- the rest of a command line

using Rows = std::vector<const Option*>;
bool is_flag(const Option& row) { return row.value.times == OptionValue::Times::flag; }
std::vector<std::string> names_of(const Option& row) { return split_names(row.name); }  // "--quiet,-q"

Rows rows_of(const DriverCommand& command, bool named) {
    Rows rows;
    for (const auto group : command.takes)
        for (const auto& row : options())
            if (row.group == group && is_named(row) == named) rows.push_back(&row);
    return rows;
}
const DriverCommand* find_command(const Program& program, const std::string& name) {
    for (const auto& command : program.commands)
        if (name == command.name || (command.alias && name == command.alias)) return &command;
    return nullptr;
}
/// The state behind the words that are complete.
struct LineState {
    Rows named, positional, given;
    const Option* awaits_value = nullptr;  // the option whose value comes next
    std::size_t arguments = 0;
    bool options_ended = false;
    std::string store;

    const Option* find(std::string_view name) const {
        for (const auto* row : named)
            for (const auto& each : names_of(*row))
                if (each == name) return row;
        return nullptr;
    }
    void take_value(const Option& row, const std::string& value) {
        if (names_of(row)[0] == "--store") store = value;
    }
    void take(const std::string& word) {
        if (const auto* row = std::exchange(awaits_value, nullptr)) return take_value(*row, word);
        if (options_ended || word.size() < 2 || word[0] != '-') {
            ++arguments;
            return;
        }
        if (word == "--") options_ended = true;
        const auto equals = word.find('=');
        const auto* row = find(std::string_view(word).substr(0, equals));
        if (!row) return;
        given.push_back(row);
        if (is_flag(*row)) return;
        if (equals == word.npos) awaits_value = row;
        else take_value(*row, word.substr(equals + 1));
    }
    bool may_give(const Option& row) const {
        const auto other = [&](const Option* one) {
            return (one == &row && row.value.times != OptionValue::Times::repeated) ||
                   (row.excludes && names_of(*one)[0] == row.excludes) ||
                   (one->excludes && names_of(row)[0] == one->excludes);
        };
        return std::ranges::none_of(given, other);
    }
    /// The argument whose turn it is; null if there are enough.
    const Option* next_argument() const {
        if (arguments < positional.size()) return positional[arguments];
        const bool more = !positional.empty() && positional.back()->value.times == OptionValue::Times::repeated;
        return more ? positional.back() : nullptr;
    }
};
void add_name(CompletedWord& word, std::string_view name, const std::string& about, const std::string& beginning) {
    if (name.starts_with(beginning)) word.values.push_back({std::string(name), about});
}
void add_options(CompletedWord& word, const LineState& state, const std::string& beginning) {
    for (const auto* row : state.named)
        if (state.may_give(*row))
            for (const auto& name : names_of(*row))
                if (name.starts_with("--") || beginning == name) add_name(word, name, row->help, beginning);
    add_name(word, "--help", "print the options of this command", beginning);
}
CompletedWord first_word(const Program& program, const std::string& beginning) {
    CompletedWord word;
    if (!beginning.starts_with('-')) add_values(word, "COMMAND", beginning, {program, ""});
    if (!beginning.starts_with('-')) return word;
    add_name(word, "--help", "print all commands", beginning);
    add_name(word, "--version", "print the version", beginning);
    return word;
}
/// --name=value: the values begin with the name.
CompletedWord joined_value(const LineState& state, const std::string& text, const CompletedLine& line) {
    const auto at = text.find('=') + 1;
    CompletedWord word;
    const auto* row = state.find(std::string_view(text).substr(0, at - 1));
    if (!row || is_flag(*row)) return word;
    add_values(word, row->value_name, text.substr(at), line);
    for (auto& each : word.values) each.value.insert(0, text, 0, at);
    word.before_file.insert(0, text, 0, at);
    return word;
}

// ----- words of bash

/// The text without its quotes, as bash would read it; its variables and commands stay as they are. `open` gets the
/// quote that is not closed.
std::string unquoted(std::string_view raw, char* open = nullptr) {
    std::string text;
    char quote = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const char c = raw[i];
        const bool escapes = c == '\\' && quote != '\'' && i + 1 < raw.size() &&
                             (!quote || std::string_view("\"\\$`").find(raw[i + 1]) != raw.npos);
        if (escapes) text += raw[++i];
        else if (quote ? c == quote : c == '\'' || c == '"') quote = quote ? 0 : c;
        else text += c;
    }
    if (open) *open = quote;
    return text;
}
std::string backslashed(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain = is_letter_or_digit(c) || (c & 0x80) || std::string_view("-_./:=@%+,").find(c) != text.npos;
        if (!plain) out += '\\';
        out += c;
    }
    return out;
}
/// Whether the text stands for itself between two of these quotes.
bool fits_between(char quote, std::string_view text) {
    return text.find_first_of(quote == '"' ? "\"\\$`!" : "'") == text.npos;
}
/// Readline keeps the part of the last word up to a `:` or `=`, so that part is cut from each value.
std::string answer_for_bash(const CompletedWord& word, const std::string& kept, const std::string& raw_last) {
    char open = 0;
    const auto last = unquoted(raw_last, &open), cut = unquoted(kept);
    const auto size = cut.size();
    std::string text;
    if (word.files != CompletedWord::Files::none) {
        const auto& before = word.before_file;
        text = before.size() > size ? before.substr(size) : "";
        text += '\t' + last.substr(std::min(last.size(), before.size()));
    }
    text += '\n';
    for (const auto& each : word.values)
        if (each.value.starts_with(cut) && (!open || fits_between(open, each.value)))
            text += (open ? each.value.substr(size) : backslashed(std::string_view(each.value).substr(size))) + '\n';
    return text;
}
std::string answer_as_plain(const CompletedWord& word) {
    std::string text = word.before_file + '\n';
    for (const auto& each : word.values) text += each.value + '\t' + each.about + '\n';
    return text;
}
std::string answer_to(const std::vector<std::string>& arguments) {
    const auto dashes = std::ranges::find(arguments, "--");
    if (dashes == arguments.end() || dashes + 1 == arguments.end()) return {};
    const bool is_bash = arguments[0] == "bash" && dashes - arguments.begin() == 2;
    std::vector<std::string> words(dashes + 1, arguments.end());
    const auto raw_last = words.back();
    if (is_bash)
        for (auto& word : words) word = unquoted(word);
    const auto word = complete_words(weft_program(), words);
    const char* kinds[] = {"words", "files", "folders"};
    return kinds[int(word.files)] +
           ('\t' + (is_bash ? answer_for_bash(word, arguments[1], raw_last) : answer_as_plain(word)));
}
}

CompletedWord complete_words(const Program& program, const std::vector<std::string>& words) {
    const auto& last = words.back();
    if (words.size() == 1) return first_word(program, last);
    const auto* command = find_command(program, words[0]);
    if (!command) return {};
    LineState state{.named = rows_of(*command, true), .positional = rows_of(*command, false), .given = {}, .store = ""};
    for (std::size_t i = 1; i + 1 < words.size(); ++i) state.take(words[i]);
    const CompletedLine line{program, state.store};
    CompletedWord word;
    if (const auto* row = state.awaits_value) {
        add_values(word, row->value_name, last, line);
        return word;
    }
    const bool is_option = !state.options_ended && last.starts_with('-');
    if (is_option && last.find('=') != last.npos) return joined_value(state, last, line);
    const auto* argument = state.next_argument();
    if (is_option || (!argument && last.empty() && !state.options_ended)) add_options(word, state, last);
    else if (argument) add_values(word, argument->name, last, line);
    return word;
}
std::chrono::milliseconds completion_limit() {
    constexpr int usual = 300, most = 3'600'000;
    const char* told = std::getenv("WEFT_COMPLETION_MS");
    const auto limit = read_number<int>(told ? told : "").value_or(usual);
    return std::chrono::milliseconds(limit > 0 ? std::min(limit, most) : usual);
}
ExitCode complete(const std::vector<std::string>& arguments) noexcept {
    const auto limit = completion_limit().count();
    std::signal(SIGALRM, [](int) { ::_exit(0); });  // a file system or a resolver may hang
    const itimerval alarm{{0, 0}, {limit / 1000, limit % 1000 * 1000}};
    ::setitimer(ITIMER_REAL, &alarm, nullptr);
    try {
        say_trusted(answer_to(arguments));
    } catch (...) {}  // a shell completes nothing then
    return ExitCode::ok;
}
}
