// Parses server-sent events from bytes that arrive in any pieces.
//
//     SseParser parser;
//     parser.feed(chunk);                        // as often as there is one
//     while (auto event = parser.next()) use(event->data);
//     parser.finish();                           // the stream has ended; then next() again for what was left
//
// Reads what servers send: LF, CR and CRLF, a byte order mark, comments, several data lines, unknown fields, a last
// event without its blank line; and, beyond the standard, `error: {...}` as data of the type "error", and a JSON
// object that stands in a line of its own as data: so model servers write what went wrong in mid-stream. However the
// bytes are cut, the events are the same. Each byte is looked at a bounded number of times and nothing is allocated
// per line. A line or event past its limit throws NetError{too_large}.
#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net {
struct SseEvent {               // valid until the parser is used again
    std::string_view type;      // empty: a plain message
    std::string_view data, id;  // as they came: repair_utf8 makes text of data
};

class SseParser {
public:
    struct Limits {
        std::size_t line = 1 << 20, event = 4 << 20;
    };
    SseParser() : SseParser(Limits{}) {}
    explicit SseParser(Limits limits) : limits_(limits) {}
    void feed(std::string_view bytes);
    void finish() { finished_ = true; }
    std::optional<SseEvent> next();
    /// How long the server wants a client to wait before it connects again, if it said so.
    std::optional<std::chrono::milliseconds> retry() const { return retry_; }
    /// The last one that came, also without an event: for Last-Event-ID.
    std::string_view last_id() const { return id_; }

private:
    std::optional<std::string_view> next_line();
    void take(std::string_view line);
    std::optional<SseEvent> dispatch();

    Limits limits_;
    std::string buffer_;
    std::size_t begin_ = 0;    // of the line that is being read
    std::size_t scanned_ = 0;  // no end of line before this
    std::size_t lf_ = 0;       // no LF from `scanned_` up to here; else a stream of CRs would be searched for each line
    bool first_line_ = true, after_cr_ = false, finished_ = false;
    bool dispatched_ = false, has_data_ = false;
    std::string type_, data_, id_;
    std::optional<std::chrono::milliseconds> retry_;
};
}
