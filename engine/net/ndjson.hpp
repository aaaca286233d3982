// Splits arriving bytes into lines of one JSON document each, as Ollama streams them.
//
//     NdjsonReader reader;
//     reader.feed(chunk);
//     while (auto line = reader.next()) parse(*line);
//     reader.finish();                          // then next() again: the last line may lack its line break
//
// Skips blank lines, and removes the CR of a CRLF. A line above the limit throws NetError{too_large}.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net {
class NdjsonReader {
public:
    explicit NdjsonReader(std::size_t limit = 1 << 20) : limit_(limit) {}
    void feed(std::string_view bytes);
    void finish() { finished_ = true; }
    std::optional<std::string_view> next();  // valid until the next call

private:
    std::size_t limit_;
    std::string buffer_;
    std::size_t begin_ = 0, scanned_ = 0;  // start of the current line; position searched for line ends
    bool finished_ = false;
};
}
