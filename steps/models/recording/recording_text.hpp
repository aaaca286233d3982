// The text of a recording: written line by line, read within bounds. Pure. Internal to
// steps/models/recording/recording.hpp.
//
//     file << recording_head << line_of(exchange, redactor);
//     auto recording = read_recording(text, "sales.jsonl");     // throws Error{configuration}: which line, and why
#pragma once
#include "steps/models/recording/recorded_exchange.hpp"
#include "steps/models/recording/redactor.hpp"

namespace weft::models {
constexpr std::size_t longest_recording = 64u << 20, longest_exchange = 16u << 20;
constexpr const char* recording_head = "{\"weft_recording\": 1}\n";

/// A line with its end. Whatever a secret is cut into, by deltas say, nothing of it is left.
std::string line_of(Exchange, const Redactor&);
/// What two requests are compared by: equal texts are equal requests.
std::string request_text(const RecordedRequest&, const Redactor&);

struct Recording {
    std::vector<Exchange> exchanges;
    std::string note;  // what was left out, if anything: a last line that a killed process did not finish
};
Recording read_recording(std::string_view text, const std::string& origin);
/// Whether a file with this beginning is a recording, or becomes one: it is empty.
bool may_hold_recording(std::string_view beginning);
}
