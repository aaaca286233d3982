// The text of a recording: written line by line, read within bounds. Pure. Internal to
// steps/models/recording/recording.hpp.
//
//     file << recording_head << line_of(exchange, redactor);
//     auto recording = read_recording(text, "sales.jsonl");     // Error{configuration} names line and reason
#pragma once
#include "steps/models/recording/recorded_exchange.hpp"
#include "steps/models/recording/redactor.hpp"

namespace weft::models {
constexpr std::size_t longest_recording = 64u << 20, longest_exchange = 16u << 20;
constexpr const char* recording_head = "{\"weft_recording\": 1}\n";

/// Returns a line with its line break. Secrets are removed even if deltas split them.
std::string line_of(RecordedExchange, const Redactor&);
/// Returns the text by which requests are compared: equal requests have equal texts.
std::string request_text(const RecordedRequest&, const Redactor&);

struct Recording {
    std::vector<RecordedExchange> exchanges;
    std::string note;  // names a skipped last line, which a killed process left incomplete; else empty
};
Recording read_recording(std::string_view text, const std::string& origin);
/// True if a file with this beginning is a recording, or empty.
bool may_hold_recording(std::string_view beginning);
}
