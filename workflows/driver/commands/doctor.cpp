// `weft doctor`: looks at everything that an agent needs, and prints a line for each finding, with its cure.
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/secret.hpp"
#include "steps/models/settings.hpp"
#include "steps/view/wrap.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/doctor/finding.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace weft::driver {
namespace {
using namespace std::chrono_literals;
struct MarkWords {
    const char *word, *colour;
};
MarkWords words_of(FindingMark mark) {
    switch (mark) {
    case FindingMark::ok: return {"ok", "\033[32m"};
    case FindingMark::missing: return {"missing", "\033[33m"};
    case FindingMark::wrong: break;
    }
    return {"wrong", "\033[31m"};
}
std::string padded(std::string_view text, std::size_t columns) {
    return std::string(text) + std::string(text.size() < columns ? columns - text.size() : 1, ' ');
}
/// One line; at a terminal its end is wrapped below its begin.
void print(const Finding& finding, bool colour) {
    const auto [word, begin] = words_of(finding.mark);
    const auto mark = padded(word, 9), about = padded(finding.about, 14);
    const auto text = in_one_line(finding.text + (finding.cure.empty() ? "" : ": " + finding.cure));
    const auto indent = mark.size() + about.size();
    const auto room = ::isatty(STDOUT_FILENO) ? columns_of_output() - indent : std::max<std::size_t>(text.size(), 1);
    std::string lines;
    for (const auto& part : view::wrap(text, {.columns = room, .first = room}))
        lines += (lines.empty() ? "" : '\n' + std::string(indent, ' ')) + part;
    say_trusted((colour ? begin + mark + "\033[0m" : mark) + about + lines + '\n');
}
nlohmann::json as_json(const Finding& finding) {
    nlohmann::json one = {{"about", finding.about}, {"mark", words_of(finding.mark).word}, {"text", finding.text}};
    if (!finding.cure.empty()) one["cure"] = finding.cure;
    return one;
}
/// Texts of servers and of the system may repeat a key.
void redact(Findings& findings) {
    std::vector<models::Secret> keys;
    try {
        keys = models::known_keys(models::Settings::of_process());
    } catch (const Error&) {}  // the checks report it
    for (auto& finding : findings)
        for (const auto& key : keys) finding.text = key.redact(finding.text);
}
std::vector<DoctorCheck> checks_of(const Choices& choices, std::chrono::milliseconds longest) {
    auto options = choices.agent;
    // They end before the check counts as hanging.
    const auto answer = std::max(1ms, longest * 5 / 8), connection = std::max(1ms, longest * 3 / 4);
    return {{"settings", check_settings},
            {"model", [options, answer] { return check_model(options, answer); }},
            {"ollama", [answer] { return check_ollama(answer); }},
            {"store", [choices, connection] { return check_store(store_or_none(choices), connection); }},
            {"database", [file = options.database] { return check_database(file); }},
            {"certificates", check_certificates},
            {"libpq", check_libpq},
            {"terminal", check_terminal},
            {"clock", check_clock}};
}
ExitCode examine(const Choices& choices) {
    bool hangs = false;
    const auto longest = std::chrono::ceil<std::chrono::milliseconds>(choices.agent.timeout.value_or(4s));
    auto findings = run_checks(checks_of(choices, longest), longest, hangs);
    findings.insert(findings.begin(), {.about = "weft", .text = WEFT_VERSION});
    redact(findings);
    const bool blocked = std::ranges::any_of(findings, &Finding::blocks);
    if (choices.show.json) {
        auto all = nlohmann::json::array();
        for (const auto& finding : findings) all.push_back(as_json(finding));
        say_json({{"ready", !blocked}, {"findings", std::move(all)}});
    } else {
        for (const auto& finding : findings) print(finding, wants_colour(STDOUT_FILENO));
    }
    const auto exit = blocked ? ExitCode::configuration : ExitCode::ok;
    if (hangs) std::_Exit(int(exit));  // a thread still waits for a host or a disk
    return exit;
}
constexpr auto about_doctor = R"(Each line begins with ok, missing or wrong, and has the cure. It looks only, changes
nothing, and waits at most four seconds, or the time that --timeout gives. The exit code is 0 if an agent can run with a
model, and with the named store and database; otherwise it is 3. No key and no password is shown.

  weft doctor
  weft doctor --model openai:gpt-4o-mini --store weft.db --json
)";
}

DriverCommand doctor_command() {
    using enum OptionGroup;
    return {"doctor",
            "look at models, keys, servers, store, database, certificates and terminal",
            {model, sample_database, store, looking, as_json},
            examine,
            about_doctor};
}
}
