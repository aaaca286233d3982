// Lines may end in LF, CR or CRLF, which two pieces may split. The position of the next LF is stored, so long lines
// without a CR are searched once.
#include "engine/net/sse.hpp"
#include "engine/net/net_error.hpp"
#include <algorithm>
#include <charconv>
#include <utility>

namespace weft::net {
namespace {
std::size_t find(const std::string& text, char c, std::size_t from, std::size_t to) {
    return std::min(std::string_view(text).substr(0, to).find(c, from), to);
}
[[noreturn]] void throw_too_large(std::string_view what, std::size_t limit) {
    throw NetError(Failure::too_large, "the server sent " + std::string(what) + " of more than " +
                                           std::to_string(limit) + " bytes in its event stream");
}
}

void SseParser::feed(std::string_view bytes) {
    if (begin_ > buffer_.size() / 2) {  // limits how often a byte is moved
        buffer_.erase(0, begin_);
        scanned_ -= begin_;
        lf_ -= std::min(lf_, begin_);
        begin_ = 0;
    }
    buffer_ += bytes;
}
std::optional<SseEvent> SseParser::next() {
    if (std::exchange(dispatched_, false)) {
        type_.clear();
        data_.clear();
        has_data_ = false;
    }
    if (auto event = usual_event()) return event;
    while (auto line = next_line()) {
        if (!line->empty()) take(*line);
        else if (auto event = dispatch()) return event;
    }
    return finished_ ? dispatch() : std::nullopt;
}
/// Returns an event that is one line of data, in place: the form of nearly all events of model servers.
std::optional<SseEvent> SseParser::usual_event() {
    constexpr std::string_view field = "data: ";
    if (has_data_ || after_cr_ || !type_.empty() || buffer_.compare(begin_, field.size(), field) != 0) return {};
    lf_ = find(buffer_, '\n', std::max(lf_, scanned_), buffer_.size());
    if (lf_ + 1 >= buffer_.size() || buffer_[lf_ + 1] != '\n') return {};
    const auto line = std::string_view(buffer_).substr(begin_, lf_ - begin_), data = line.substr(field.size());
    if (line.size() > limits_.line || data.size() + 1 > limits_.event || data.find('\r') != data.npos) return {};
    begin_ = scanned_ = lf_ + 2;
    first_line_ = false;
    return SseEvent{type_, data, id_};
}
std::optional<std::string_view> SseParser::next_line() {
    if (after_cr_ && begin_ < buffer_.size()) {  // the second half of a CRLF
        after_cr_ = false;
        if (buffer_[begin_] == '\n') ++begin_;
        scanned_ = std::max(scanned_, begin_);
    }
    lf_ = std::max(lf_, scanned_);
    if (lf_ == buffer_.size() || buffer_[lf_] != '\n') lf_ = find(buffer_, '\n', lf_, buffer_.size());
    const std::size_t end = find(buffer_, '\r', scanned_, lf_);
    scanned_ = end;
    if (end - begin_ > limits_.line) throw_too_large("a line", limits_.line);
    if (end == buffer_.size() && (!finished_ || begin_ == end)) return std::nullopt;
    auto line = std::string_view(buffer_).substr(begin_, end - begin_);
    after_cr_ = end < buffer_.size() && buffer_[end] == '\r';
    begin_ = scanned_ = std::min(end + 1, buffer_.size());
    if (std::exchange(first_line_, false) && line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
    return line;
}
void SseParser::take(std::string_view line) {
    const bool bare = line.front() == '{';
    const auto colon = bare ? std::string_view::npos : line.find(':');
    const auto field = bare ? "data" : line.substr(0, colon);
    auto value = bare ? line : colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (!bare && !value.empty() && value.front() == ' ') value.remove_prefix(1);
    if (field == "error") type_ = field;
    if (field == "data" || field == "error") {
        if (data_.size() + value.size() + 1 > limits_.event) throw_too_large("an event", limits_.event);
        if (std::exchange(has_data_, true)) data_ += '\n';
        data_ += value;
    } else if (field == "event") {
        type_ = value;
    } else if (field == "id") {
        if (value.find('\0') == std::string_view::npos) id_ = value;
    } else if (field == "retry") {
        long long wait = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), wait);
        if (error == std::errc() && end == value.data() + value.size() && wait >= 0)
            retry_ = std::chrono::milliseconds(wait);
    }
}
std::optional<SseEvent> SseParser::dispatch() {
    if (!has_data_) {
        type_.clear();
        return std::nullopt;
    }
    dispatched_ = true;
    return SseEvent{type_, data_, id_};
}
}
