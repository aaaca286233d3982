// The form of a body is known by its first byte that is not blank, since Content-Type is often wrong.
#include "steps/models/protocols/event_reader.hpp"
#include "engine/utf8.hpp"

namespace weft::models {
void EventReader::read(std::string_view bytes, const OnDelta& on_delta) {
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
    events_.feed(bytes);
    take_events(on_delta);
}
void EventReader::read_rest(const OnDelta& on_delta) {
    if (form_ == Form::document) return take_document(wire::parse(repair_utf8(document_), key_), on_delta);
    events_.finish();
    take_events(on_delta);
    if (!done()) finish_events();
}
void EventReader::take_events(const OnDelta& on_delta) {
    while (!done()) {
        const auto event = events_.next();
        if (!event) return;
        if (!event->data.empty()) take_event(*event, on_delta);
    }
}
}
