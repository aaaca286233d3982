// Each byte is searched once and moved a few times, for any division into pieces. Blank lines are skipped.
#include "engine/net/ndjson.hpp"
#include "engine/net/net_error.hpp"
#include <algorithm>

namespace weft::net {
void NdjsonReader::feed(std::string_view bytes) {
    if (begin_ > buffer_.size() / 2) {  // limits how often a byte is moved
        buffer_.erase(0, begin_);
        scanned_ -= begin_;
        begin_ = 0;
    }
    buffer_ += bytes;
}
std::optional<std::string_view> NdjsonReader::next() {
    for (;;) {
        const auto end = std::min(buffer_.find('\n', scanned_), buffer_.size());
        scanned_ = end;
        if (end - begin_ > limit_)
            throw NetError(Failure::too_large,
                           "the server sent a line of more than " + std::to_string(limit_) + " bytes");
        if (end == buffer_.size() && (!finished_ || begin_ == end)) return std::nullopt;
        auto line = std::string_view(buffer_).substr(begin_, end - begin_);
        begin_ = scanned_ = std::min(end + 1, buffer_.size());
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (line.find_first_not_of(" \t") != std::string_view::npos) return line;
    }
}
}
