// Text of the help becomes man(7) by its form: an unindented line that ends in a colon is a heading, a line of two
// columns is an item, another indented line is a command, and other lines are paragraphs.
#include "workflows/driver/man_page.hpp"
#include "engine/text/text.hpp"
#include "steps/models/protocols/protocol.hpp"
#include "workflows/driver/terminal/help_text.hpp"
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace weft::driver {
namespace {
/// The width of examples: 80 columns less the indentation of sections.
constexpr std::size_t example_columns = 72;

// ----- roff

/// The text in roff. A plain - would become a hyphen, which no shell reads as an option.
std::string roff(std::string_view text) {
    std::string out;
    bool bold = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '`' && (bold || text.find('`', i + 1) != text.npos)) {
            bold = !bold;
            out += bold ? "\\fB" : "\\fR";
        } else if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else if (c == '\'') out += "\\(aq";
        else if (c == '`') out += "\\(ga";
        else if (c == '^') out += "\\(ha";
        else if (c == '~') out += "\\(ti";
        else out += c;
    }
    return out;
}
std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }
/// A text that fills lines, in lines of roff of at most 80 bytes.
std::string filled_text(std::string_view text) {
    std::string out, line;
    const auto end_line = [&] {
        if (line.starts_with('.')) out += "\\&";
        out += std::exchange(line, "") + '\n';
    };
    const auto escaped = roff(text);
    for (std::string_view rest = escaped; !rest.empty();) {
        const auto part = cut_at(rest, ' ');
        if (!line.empty() && line.size() + part.size() > 76) end_line();
        (line += line.empty() ? "" : " ") += part;
    }
    end_line();
    return out;
}
std::string item(const std::string& name, std::string_view text) { return ".TP\n" + name + '\n' + filled_text(text); }
/// A sentence from a command's line of the help.
std::string sentence(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z' && !text.starts_with("weft ")) text[0] += 'A' - 'a';
    if (!text.empty() && !text.ends_with('.')) text += '.';
    return text;
}

// ----- sections

/// The bodies of sections, by heading; sections stand in this order, others after them.
class PageSections {
public:
    std::string& operator[](const std::string& heading) {
        for (auto& [name, body] : all_)
            if (name == heading) return body;
        return all_.emplace_back(heading, "").second;
    }
    std::string text() const {
        std::string out;
        for (const auto& [name, body] : all_)
            if (!body.empty()) out.append(".SH ").append(name) += '\n' + body;
        return out;
    }

private:
    std::vector<std::pair<std::string, std::string>> all_{
        {"NAME", ""},   {"SYNOPSIS", ""}, {"DESCRIPTION", ""}, {"COMMANDS", ""},    {"ARGUMENTS", ""}, {"OPTIONS", ""},
        {"MODELS", ""}, {"EXAMPLES", ""}, {"EXIT STATUS", ""}, {"ENVIRONMENT", ""}, {"FILES", ""},     {"SEE ALSO", ""},
    };
};
std::string in_capitals(std::string text) {
    for (auto& c : text)
        if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
    return text;
}
std::string heading_of(std::string_view line) {
    const auto heading = in_capitals(std::string(line.substr(0, line.size() - 1)));
    return heading == "EXIT CODES" ? "EXIT STATUS" : heading;
}
/// The text before and after a gap of two blanks; the second is empty without a gap.
std::pair<std::string, std::string> columns_of(std::string_view line) {
    const auto text = trimmed(line);
    const auto gap = text.find("  ");
    if (gap == text.npos) return {std::string(text), ""};
    return {std::string(text.substr(0, gap)), std::string(trimmed(text.substr(gap)))};
}
bool is_comment(const std::string& text) { return text.starts_with('#'); }
/// A command as it can be typed, over several lines if it is long.
std::string example(std::string_view line) {
    std::string out, lines = in_columns(line, example_columns + 2);
    for (std::string_view rest = lines; !rest.empty();) {
        auto text = roff(cut_at(rest, '\n').substr(2));
        out += text + '\n';
    }
    return ".nf\n" + out + ".fi\n";
}
/// The body of a section, with a mark between two paragraphs.
std::string& begin_paragraph(std::string& body) { return body += body.empty() ? "" : ".PP\n"; }
/// Adds a text of the help: commands to EXAMPLES, all else to the section, or to those of its own headings.
void add_help(PageSections& sections, std::string section, std::string_view help) {
    std::string paragraph;
    const auto end_paragraph = [&] {
        if (!paragraph.empty()) begin_paragraph(sections[section]) += filled_text(paragraph);
        paragraph.clear();
    };
    while (!help.empty()) {
        const std::string line(trimmed_end(cut_at(help, '\n')));
        const bool indented = line.starts_with(' ');
        const auto [first, second] = columns_of(line);
        const bool is_item = indented && !second.empty() && !is_comment(second);
        const bool is_command = indented && !is_item && line.find("weft ") != line.npos &&
                                line.find("`weft ") == line.npos;
        if (!is_item && !is_command && !line.empty() && !(!indented && line.ends_with(':'))) {
            (paragraph += paragraph.empty() ? "" : " ") += trimmed(line);
            continue;
        }
        end_paragraph();
        if (line.empty()) continue;
        if (is_item) sections[section] += item(bold(first), second);
        else if (is_command) begin_paragraph(sections["EXAMPLES"]) += example(line);
        else section = heading_of(line);
    }
    end_paragraph();
}

// ----- the parts of a page

std::string synopsis(const std::string& command, const std::vector<const Option*>& rows) {
    std::string text = ".nh\n.ad l\n" + bold(command) + " [" + italic("OPTIONS") + ']';
    for (const auto* row : rows) {
        if (is_named(*row) && !row->value.required) continue;
        auto one = is_named(*row) ? bold(row->name) + ' ' + italic(row->value_name) : italic(row->name);
        if (row->value.times == OptionValue::Times::repeated) one += " ...";
        text += ' ' + (row->value.required ? one : '[' + one + ']');
    }
    return text + "\n.ad b\n.hy\n";
}
std::string option_item(const Option& row) {
    std::string names;
    for (const auto& name : split_names(row.name)) (names += names.empty() ? "" : ", ") += bold(name);
    if (*row.value_name) names += ' ' + italic(row.value_name);
    return item(is_named(row) ? names : italic(row.name), row.help);
}
std::string page_name(const Program& program, const DriverCommand* command) {
    return command ? program.name + '-' + command->name : program.name;
}
std::string reference(const std::string& page) { return bold(page) + "(1)"; }

void add_variables(std::string& text) {
    const std::pair<const char*, const char*> first[] = {
        {"WEFT_MODEL", "The model, without --model."},
        {"WEFT_STORE", "The store, without --store."},
        {"WEFT_SERVER_TOKEN", "The token for --server, without --token-file."},
        {"WEFT_MCP_TOKEN", "The token of the only server of --mcp that has an address."},
    };
    const std::pair<const char*, const char*> last[] = {
        {"WEFT_CORE_DUMPS", "Core files and debuggers are allowed if this is set. They show keys."},
        {"WEFT_COMPLETION_MS", "The milliseconds that a completion may take (300)."},
        {"https_proxy, http_proxy, all_proxy, no_proxy", "The proxy for model servers, web pages and MCP servers."},
        {"SSL_CERT_FILE, SSL_CERT_DIR", "The certificates of authorities, in place of those of the system."},
        {"OTEL_EXPORTER_OTLP_ENDPOINT", "The collector of traces; other variables of OpenTelemetry are read, too."},
        {"NO_COLOR", "Standard error has no colours if this is set."},
        {"COLUMNS", "The width of the output."},
    };
    for (const auto& [name, about] : first) text += item(bold(name), about);
    std::vector<std::pair<std::string, std::string>> of_models;  // some protocols share a variable
    const auto add = [&](const char* name, const char* about, const char* protocol) {
        if (!name) return;
        auto at = std::ranges::find(of_models, name, [](const auto& each) { return each.first; });
        if (at == of_models.end()) at = of_models.insert(at, {name, about});
        else at->second += " and";
        at->second += " `" + std::string(protocol) + ":`";
    };
    for (const auto* protocol : models::protocols()) {
        for (const auto* key : protocol->keys) add(key, "The key for models of", protocol->name);
        add(protocol->base_variable, "The address of the server of", protocol->name);
    }
    for (const auto& [name, about] : of_models) text += item(bold(name), about + '.');
    for (const auto& [name, about] : last) text += item(bold(name), about);
}
void add_program(PageSections& page, const Program& program) {
    page["SYNOPSIS"] = ".nh\n" + bold(program.name) + ' ' + italic("COMMAND") + " [" + italic("OPTIONS") +
                       "] ...\n.hy\n";
    page["DESCRIPTION"] = filled_text(sentence(program.about) +
                                      " Each command has a page of its own; `weft COMMAND --help` prints its options.");
    auto& commands = page["COMMANDS"];
    auto& see_also = page["SEE ALSO"];
    for (const auto& command : program.commands) {
        const auto name = reference(page_name(program, &command));
        commands += item(name, command.about);
        see_also += (see_also.empty() ? ".nh\n.ad l\n" : ",\n") + name;
    }
    see_also += "\n.ad b\n.hy\n";
    page["OPTIONS"] = item(bold("-h") + ", " + bold("--help"), "Print all commands.") +
                      item(bold("--version"), "Print the version.");
    add_help(page, "EXAMPLES", program.footer);
    add_variables(page["ENVIRONMENT"]);
    page["FILES"] = item(bold(".env"), "In the working directory: lines NAME=value for variables that the environment "
                                       "does not have.");
}
void add_command(PageSections& page, const Program& program, const DriverCommand& command) {
    std::vector<const Option*> rows;
    for (const auto group : command.takes)
        for (const auto& row : options())
            if (row.group == group) rows.push_back(&row);
    page["SYNOPSIS"] = synopsis(program.name + ' ' + command.name, rows);
    auto about = sentence(command.about);
    if (command.alias) about += " Another name of the command is `" + std::string(command.alias) + "`.";
    page["DESCRIPTION"] = filled_text(about);
    for (const auto* row : rows) page[is_named(*row) ? "OPTIONS" : "ARGUMENTS"] += option_item(*row);
    page["OPTIONS"] += item(bold("-h") + ", " + bold("--help"), "Print these options.");
    if (command.examples) add_help(page, "DESCRIPTION", command.examples);
    page["EXIT STATUS"] = roff("0 if it worked;") + '\n' + reference(program.name) + roff(" explains the others.") +
                          '\n';
    page["SEE ALSO"] = reference(program.name) + '\n';
}
/// The day of the release, or of SOURCE_DATE_EPOCH: two builds of one source are the same.
std::string day() {
    const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
    const std::time_t seconds = epoch ? std::atoll(epoch) : 0;
    std::tm parts{};
    char text[32];
    if (!epoch || !::gmtime_r(&seconds, &parts) || !std::strftime(text, sizeof text, "%Y-%m-%d", &parts))
        return WEFT_DATE;
    return text;
}
}

std::string man_page(const Program& program, const DriverCommand* command) {
    PageSections page;
    const auto name = page_name(program, command);
    page["NAME"] = filled_text(name + " - " + (command ? command->about : "runs event-driven workflows and agents"));
    command ? add_command(page, program, *command) : add_program(page, program);
    return ".TH \"" + roff(in_capitals(name)) + "\" 1 \"" + day() + "\" \"" + roff(program.version) +
           "\" \"User Commands\"\n" + page.text();
}
std::string man_file(const Program& program, const DriverCommand* command) {
    return page_name(program, command) + ".1";
}
}
