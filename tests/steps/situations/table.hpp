// A row of the table of situations: what a server does, before every protocol, streamed and whole, and every agent.
//
//     check_all({{"the id of a call is empty", only_calls, odd(Oddity::no_id)},
//                refused("stop", R"("stop":)", 400, "Unsupported parameter: 'stop'")});
//
// A cell ends with the right answer, or with the error that its row expects: never with raw text as the answer. A cell
// that does not apply says why, and the reasons are counted and told.
#pragma once
#include "tests/steps/situations/cells.hpp"

namespace situations {
using Reason = std::string;  // why a cell does not apply; empty: it does
using Applies = std::function<Reason(const Cell&)>;
using Served = std::function<Body(const Cell&, const Asked&)>;
struct Situation {
    std::string name;
    Applies why_not;
    Served serve;
    std::function<std::string(const Cell&)> error =
        {};                  // a part of the sentence that the run ends with; else it answers
    std::string needs = {};  // the row is about a request that has this
};
/// Runs the cells of each row. A cell that is wrong is named with what it gave.
void check_all(const std::vector<Situation>&);

Reason anywhere(const Cell&);
Reason no_calls(const Cell&);  // where the protocol calls tools, it applies
/// As `also`, for servers of this protocol alone.
Applies only(const char* protocol, Applies also = anywhere);

/// Replies of a model that makes no mistake: as they should be, odd, with other text.
Body sound(const Cell&, const Asked&);
Served odd(Oddity);
Served with_text(std::function<std::string(const std::string&)> change);
/// The first reply is this one.
Served first(Said);
/// Refused while the request has this.
Situation refused(const std::string& name, const std::string& has, int status, const std::string& words,
                  const std::string& code = {});
/// The same, by this document, from a server of this protocol.
Situation refused_by(const char* protocol, const std::string& name, const std::string& has, int status,
                     const std::string& document);
}
