// Splits bytes that arrive in any pieces into lines, of one JSON document each, as Ollama streams them.
//
//     LineReader reader;
//     reader.feed(chunk);
//     while (auto line = reader.next()) parse(*line);
//     reader.finish();                          // then next() again: the last line may lack its end
//
// Empty lines and the CR of a CRLF are left out. A line past the limit throws NetError{too_large}.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net {
class LineReader {
public:
    explicit LineReader(std::size_t limit = 1 << 20) : limit_(limit) {}
    void feed(std::string_view bytes);
    void finish() { finished_ = true; }
    std::optional<std::string_view> next();  // valid until the reader is used again

private:
    std::size_t limit_;
    std::string buffer_;
    std::size_t begin_ = 0, scanned_ = 0;  // the line that is being read; no end of line before `scanned_`
    bool finished_ = false;
};
}
