#include "tests/steps/situations/table.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <ostream>

namespace situations {
namespace {
/// Runs the cells of a situation, and returns the wrong ones.
void check(const Situation& row) {
    std::map<std::string, int> reasons;
    int cells = 0;
    for (const auto* protocol : weft::models::protocols())
        for (const bool streamed : {true, false})
            for (const auto kind : agent_kinds) {
                const Cell cell{kind, protocol, streamed};
                if (auto why = row.why_not(cell); !why.empty()) {
                    ++reasons[why];
                    continue;
                }
                bool needed = row.needs.empty();
                const auto outcome = run_cell(cell, [&](const Asked& asked) {
                    needed = needed || asked.has(row.needs);
                    return row.serve(cell, asked);
                });
                if (!needed) {
                    ++reasons["no request has " + row.needs];
                    continue;
                }
                ++cells;
                INFO(row.name << " / " << cell.name() << ": " << outcome.answer << " | " << outcome.error << " | "
                              << outcome.requests << " requests");
                const auto error = row.error ? row.error(cell) : std::string();
                if (!error.empty()) {
                    CHECK(outcome.error.find(error) != std::string::npos);
                    CHECK(outcome.answer == "");
                    continue;
                }
                CHECK(outcome.answer == expected_answer(cell));
                CHECK(outcome.ran == expected_runs(cell));
            }
    std::string left_out;
    for (const auto& [why, count] : reasons) left_out += "; " + std::to_string(count) + " do not apply: " + why;
    MESSAGE(row.name << ": " << cells << " cells" << left_out);
    CHECK(cells > 0);
}
}

void check_all(const std::vector<Situation>& rows) {
    for (const auto& row : rows) check(row);
}
Reason anywhere(const Cell&) { return {}; }
Reason no_calls(const Cell& cell) { return cell.calls() ? "" : "its model asks for tools in its text"; }
Applies only(const char* protocol, Applies also) {
    return [=](const Cell& cell) { return cell.is(protocol) ? also(cell) : "servers of this protocol do not do so"; };
}
Body sound(const Cell& cell, const Asked& asked) {
    return write_body(*cell.protocol, cell.streamed, sound_reply(cell, asked));
}
Served odd(Oddity oddity) {
    return [oddity](const Cell& cell, const Asked& asked) {
        auto said = sound_reply(cell, asked);
        said.oddity = oddity;
        return write_body(*cell.protocol, cell.streamed, said);
    };
}
Served with_text(std::function<std::string(const std::string&)> change) {
    return [change](const Cell& cell, const Asked& asked) {
        auto said = sound_reply(cell, asked);
        said.text = change(said.text);
        return write_body(*cell.protocol, cell.streamed, said);
    };
}
Served first(Said said) {
    return [said](const Cell& cell, const Asked& asked) {
        return asked.before == 0 ? write_body(*cell.protocol, cell.streamed, said) : sound(cell, asked);
    };
}
Situation refused(const std::string& name, const std::string& has, int status, const std::string& words,
                  const std::string& code) {
    return {name,
            anywhere,
            [=](const Cell& cell, const Asked& asked) {
                return asked.has(has) ? write_error(*cell.protocol, status, words, code) : sound(cell, asked);
            },
            {},
            has};
}
Situation refused_by(const char* protocol, const std::string& name, const std::string& has, int status,
                     const std::string& document) {
    return {name,
            only(protocol),
            [=](const Cell& cell, const Asked& asked) {
                return asked.has(has) ? Body{status, document} : sound(cell, asked);
            },
            {},
            has};
}
}
