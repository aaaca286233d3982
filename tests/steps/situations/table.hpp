// A row of the table of situations: a server's behaviour, for every protocol, streamed and whole, and every agent.
//
//     check_all({{"the id of a call is empty", only_calls, odd(Oddity::no_id)},
//                refused("stop", R"("stop":)", 400, "Unsupported parameter: 'stop'")});
//
// A cell ends with the right answer or the row's expected error, never with raw text as the answer. A cell that does
// not apply has a reason, and the reasons are counted and printed.
#pragma once
#include "tests/steps/situations/cells.hpp"

namespace situations {
using Reason = std::string;  // the reason why a cell does not apply, or empty
using Applies = std::function<Reason(const Cell&)>;
using Served = std::function<Body(const Cell&, const Asked&)>;
struct Situation {
    std::string name;
    Applies why_not;
    Served serve;
    std::function<std::string(const Cell&)> error = {};  // a part of the run's error; empty: an answer
    std::string needs = {};                              // the row applies to requests with this text
};
/// Runs the cells of each row, and reports each wrong cell with its outcome.
void check_all(const std::vector<Situation>&);

Reason anywhere(const Cell&);
Reason no_calls(const Cell&);  // applies if the protocol calls tools
/// Like `also`, only for servers of this protocol.
Applies only(const char* protocol, Applies also = anywhere);

/// Replies of a faultless model: normal, odd, or with other text.
Body sound(const Cell&, const Asked&);
Served odd(Oddity);
Served with_text(std::function<std::string(const std::string&)> change);
/// Gives this first reply.
Served first(Said);
/// Refuses a request with this text.
Situation refused(const std::string& name, const std::string& has, int status, const std::string& words,
                  const std::string& code = {});
/// Refuses it with this document, from a server of this protocol.
Situation refused_by(const char* protocol, const std::string& name, const std::string& has, int status,
                     const std::string& document);
}
