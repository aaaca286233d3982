// The first byte that is not blank tells the form of a body, because Content-Type is often wrong.
#include "steps/models/protocols/parts/event_reader.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"

namespace weft::models {
namespace {
constexpr std::size_t longest_begin = 4096;

/// True for a sentence instead of JSON. Malformed JSON is not a sentence: it was damaged on its way.
bool is_sentence(std::string_view data) {
    if (data.starts_with('{')) return false;
    data = trimmed(data);
    const char first = data.empty() ? '{' : lower(data.front());
    return (first == '<' || is_lower(first)) && data != "true" && data != "false" && data != "null";
}
/// Returns the words of a body without events: its lines that are not fields of an event stream.
std::string without_fields(std::string_view text) {
    std::string rest;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        bool field = line.starts_with(':');
        for (std::string_view name : {"data", "event", "id", "retry"})
            field = field || line == name || (line.starts_with(name) && line.substr(name.size(), 1) == ":");
        if (!field) (rest += line) += '\n';
    }
    return rest;
}
}

void SseReplyReader::read(std::string_view bytes) {
    if (form_ == Form::unknown) {
        const auto at = bytes.find_first_not_of(" \t\r\n");
        if (at == std::string_view::npos) return;
        bytes.remove_prefix(at);
        form_ = bytes.front() == '{' || bytes.front() == '[' ? Form::document : Form::events;
    }
    if (form_ == Form::document) {
        document_ += bytes;
        return;
    }
    if (!has_event_) begin_ += bytes.substr(0, longest_begin - begin_.size());
    events_.feed(bytes);
    take_events();
}
void SseReplyReader::read_rest() {
    if (form_ == Form::document) {
        if (take_plain_document(document_)) return;
        const auto document = wire::parse(repair_utf8(document_), key_);
        check(document);
        return take_document(document);
    }
    events_.finish();
    take_events();
    if (done()) return;
    if (const auto said = without_fields(begin_); !has_event_ && !is_blank(said)) throw judge_text(said, hints(), key_);
    finish_events();
}
void SseReplyReader::take_events() {
    while (!done()) {
        const auto event = events_.next();
        if (!event) return;
        has_event_ = true;
        if (event->type == "error" || is_sentence(event->data)) throw judge_text(event->data, hints(), key_);
        if (!event->data.empty()) take_event(*event);
    }
}
}
