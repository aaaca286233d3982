// The only source that includes CLI11, which takes seconds to compile. Words that CLI11 would misread as a list, or as
// an option with an empty value, are changed or refused first. Each type of CLI11's errors becomes one sentence.
#include "workflows/driver/command_line.hpp"
#include "engine/text/text.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/help_text.hpp"
#include <algorithm>
#include <CLI/CLI.hpp>

namespace weft::driver {
namespace {
// ----- errors of CLI11 as sentences

template <class E> bool is(const CLI::ParseError& error) { return dynamic_cast<const E*>(&error) != nullptr; }

/// The texts before and after the part; the whole text and "" without the part.
std::pair<std::string, std::string> split(const std::string& text, const std::string& part) {
    const auto at = text.find(part);
    if (at == text.npos) return {text, ""};
    return {text.substr(0, at), text.substr(at + part.size())};
}
std::string in_our_words(const CLI::ParseError& error) {
    std::string text = error.what();
    if (is<CLI::ExtrasError>(error)) return "this was not expected: " + split(text, ": ").second;
    if (is<CLI::ArgumentMismatch>(error)) {  // --model: 1 required MODEL missing; --model: At Most 1 required ...
        const auto [name, what] = split(text, ": ");
        return name + (what.ends_with("missing") ? " needs a value" : " can be given only once");
    }
    if (is<CLI::ConversionError>(error)) {  // Could not convert: --json = maybe; only flags have no check of their own
        const auto [name, value] = split(split(text, ": ").second, " = ");
        return name + " takes no value, so not \"" + value + '"';
    }
    if (is<CLI::ExcludesError>(error)) {
        const auto [one, other] = split(text, " excludes ");
        return one + " and " + other + " cannot be given together";
    }
    if (is<CLI::ValidationError>(error)) {  // --max-steps: takes a ...
        const auto [name, what] = split(text, ": ");
        return name + ' ' + what;
    }
    return text;
}

// ----- the tables in the form of CLI11

CLI::Option& add_option(CLI::App& sub, const Option& row, Choices& choices) {
    const auto set = [&choices, set = row.value.set](const std::string& text) { set(choices, text); };
    const bool named = std::string_view(row.name).starts_with("--");
    switch (row.value.times) {
    case OptionValue::Times::flag:
        return *sub.add_flag_callback(
            row.name, [set] { set({}); }, row.help);
    case OptionValue::Times::once: return *sub.add_option_function<std::string>(row.name, set, row.help);
    case OptionValue::Times::repeated: break;
    }
    const auto set_each = [set](const std::vector<std::string>& all) { std::for_each(all.begin(), all.end(), set); };
    return *sub.add_option_function<std::vector<std::string>>(row.name, set_each, row.help)->allow_extra_args(!named);
}
/// The options that a command takes, each with its row, in the order of its help.
using CommandOptions = std::vector<std::pair<const CLI::Option*, const Option*>>;
CommandOptions add_options(CLI::App& sub, const DriverCommand& command, Choices& choices) {
    CommandOptions added;
    for (const auto group : command.takes) {
        for (const auto& row : options()) {
            if (row.group != group) continue;
            auto& option = add_option(sub, row, choices);
            if (row.value.times != OptionValue::Times::flag) option.type_name(row.value_name);
            if (row.value.required) option.required();
            if (row.excludes) option.excludes(sub.get_option(row.excludes));
            if (const auto mistake = row.value.mistake)
                option.check(CLI::Validator([mistake](std::string& text) { return mistake(text); }, ""));
            added.emplace_back(&option, &row);
        }
    }
    return added;
}
/// CLI11 reads a word in brackets as a list of words; a blank after it prevents that. CLI11 uses the word after
/// `--model=` as its value; this function refuses that.
std::vector<std::string> guarded_words(int argc, char** argv) {  // without the program's name
    std::vector<std::string> words(argv + (argc > 0), argv + argc);
    bool options = true;
    for (auto& word : words) {
        if (word == "--") options = false;
        if (options && word.starts_with("--") && word.find('=') == word.size() - 1)
            throw Error(Code::usage,
                        word + " has no value: write one after it, or leave out the option for its default");
        if (word.starts_with('[') && word.ends_with(']')) word += ' ';
    }
    return words;
}
/// Whether a word of the command line may be the command. No other command needs its options, and making the options of
/// all commands takes a third of the time of a short command.
bool may_be_asked(const DriverCommand& command, int argc, char** argv) {
    return std::any_of(argv + std::min(argc, 1), argv + argc, [&command](std::string_view word) {
        return word == command.name || (command.alias && word == command.alias);
    });
}
/// Leaves in the help of `weft COMMAND ACTION --help` what is for this action.
void keep_for_action(CLI::App& sub, const CommandOptions& options, const DriverCommand& command,
                     const std::string& action) {
    const auto line_of_action = "weft " + std::string(command.name) + ' ' + action;
    std::string examples;
    for (std::string_view rest = command.examples ? command.examples : ""; !rest.empty();) {
        const auto line = cut_at(rest, '\n');
        if (line.find(line_of_action) != line.npos) examples += std::string(line) + '\n';
    }
    if (examples.empty()) return;
    sub.footer(examples);
    for (const auto& [option, row] : options)
        if (!command.shows(action, *row)) sub.get_option(option->get_name())->group("");
}
void check_first_word(const CLI::App& app, const Program& program, const std::string& first) {
    if (first.size() > 1 && first[0] == '-' && first != "--" &&
        !app.get_option_no_throw(first.substr(0, first.find('='))))
        throw Error(Code::usage, "there is no option " + first + " before a command; `weft --help` explains it");
    if (first.empty() || first[0] == '-') return;
    for (const auto& command : program.commands)
        if (first == command.name || (command.alias && first == command.alias)) return;
    throw Error(Code::usage, "there is no command \"" + first + "\"; there are " +
                                 with_commas(program.commands, &DriverCommand::name));
}
}

ParsedCommandLine read_command_line(const Program& program, int argc, char** argv) {
    CLI::App app(program.about, program.name);
    app.set_version_flag("--version", program.version);
    app.require_subcommand(1);
    app.footer(program.footer);
    app.get_formatter()->column_width(24);
    ParsedCommandLine asked;
    std::vector<CommandOptions> added;  // an element for each command
    for (const auto& command : program.commands) {
        auto& sub = *app.add_subcommand(command.name, command.about);
        if (command.alias) sub.alias(command.alias);
        sub.footer(command.examples ? command.examples : "");  // else CLI11 uses the program's footer
        added.push_back(may_be_asked(command, argc, argv) ? add_options(sub, command, asked.choices)
                                                          : CommandOptions());
    }
    const std::string first = argc > 1 ? argv[1] : "";
    check_first_word(app, program, first);
    try {
        auto words = guarded_words(argc, argv);
        std::reverse(words.begin(), words.end());  // the order that CLI11 reads
        app.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        for (std::size_t i = 0; argc > 2 && i < program.commands.size(); ++i)
            if (const auto& command = program.commands[i]; command.shows && first == command.name)
                keep_for_action(*app.get_subcommand(command.name), added[i], command, argv[2]);
        asked.text = in_columns(app.help(), columns_of_output());
        return asked;
    } catch (const CLI::CallForVersion& version) {
        asked.text = std::string(version.what()) + '\n';
        return asked;
    } catch (const CLI::ParseError& error) {
        const bool has_command = !first.empty() && first[0] != '-';
        throw Error(Code::usage, has_command ? in_our_words(error) + "; `weft " + first + " --help` explains it"
                                             : "say what to do; `weft --help` explains it");
    }
    for (std::size_t i = 0; i < program.commands.size(); ++i) {
        if (!app.got_subcommand(program.commands[i].name)) continue;
        asked.command = &program.commands[i];
        for (const auto& [option, row] : added[i])
            if (option->count() > 0) asked.choices.given.push_back(row);
    }
    return asked;
}
}
