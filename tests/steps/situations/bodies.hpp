// Replies of a model in the form of each protocol's servers, streamed and whole, with servers' oddities.
//
//     const auto body = write_body(openai_chat, true, {.text = "It is 42.", .oddity = Oddity::no_end});
#pragma once
#include "steps/models/protocols/protocol.hpp"
#include <string>
#include <vector>

namespace situations {
using weft::models::Protocol;

enum class Oddity {
    none,
    same_index,         // all calls have the index 0
    same_id,            // all calls have one id
    no_id,              // calls have the id ""
    changing_id,        // later pieces of a call have another id
    placeholder_first,  // {} precedes the arguments
    encoded_twice,      // arguments are a JSON text with the object as text
    sent_twice,         // each call is repeated
    no_end,             // the stream ends after the reason to finish
    done_mark,          // data: [DONE] instead of the protocol's own end, or after it
    cut_character,      // a UTF-16 pair is cut between two chunks
};
struct Call {
    std::string id, name, arguments;
};
struct Said {
    std::string text, reasoning;
    std::vector<Call> calls = {};
    Oddity oddity = Oddity::none;
};
struct Body {
    int status = 200;
    std::string bytes, headers = "Content-Type: application/json\r\n";
};
Body write_body(const Protocol&, bool streamed, const Said&);
/// Returns an error in the form of this protocol.
Body write_error(const Protocol&, int status, const std::string& message, const std::string& code = "");
}
