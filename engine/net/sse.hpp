// Parses server-sent events from bytes in any pieces.
//
//     SseParser parser;
//     parser.feed(chunk);                        // for each piece
//     while (auto event = parser.next()) use(event->data);
//     parser.finish();                           // at the end; then next() again for the last event
//
// Supports LF, CR and CRLF, a byte order mark, comments, several data lines, unknown fields, and a last event without
// its blank line. Beyond the standard it reads `error: {...}` as data of the type "error", and a JSON object in its own
// line as data, because model servers report errors within a stream so. The events are the same for any division of the
// bytes. Each byte is read a bounded number of times, and lines cost no allocation. A line or event above its limit
// throws NetError{too_large}.
#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net {
struct SseEvent {               // valid until the next call
    std::string_view type;      // empty: a plain message
    std::string_view data, id;  // unchanged: use repair_utf8 to make text of data
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
    /// Returns the server's wish for the wait before a new connection, if any.
    std::optional<std::chrono::milliseconds> retry() const { return retry_; }
    /// Returns the last id received, even without an event, for Last-Event-ID.
    std::string_view last_id() const { return id_; }

private:
    std::optional<SseEvent> usual_event();
    std::optional<std::string_view> next_line();
    void take(std::string_view line);
    std::optional<SseEvent> dispatch();

    Limits limits_;
    std::string buffer_;
    std::size_t begin_ = 0;    // start of the current line
    std::size_t scanned_ = 0;  // length of the searched text, without a line end
    std::size_t lf_ = 0;       // no LF from `scanned_` to here; limits the search in a stream of CRs
    bool first_line_ = true, after_cr_ = false, finished_ = false;
    bool dispatched_ = false, has_data_ = false;
    std::string type_, data_, id_;
    std::optional<std::chrono::milliseconds> retry_;
};
}
