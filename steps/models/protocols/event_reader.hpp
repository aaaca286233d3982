// A reply that comes as server-sent events, or whole: a server that was asked to stream may send one JSON document
// instead. The first byte that is not blank tells one from the other. For the readers of such protocols.
//
// Errors are found here, in whatever form they come: as an event of that name, as the document, as a sentence instead
// of JSON, as a body without events, as a web page.
#pragma once
#include "engine/net/sse.hpp"
#include "steps/models/protocols/reply_reader.hpp"
#include "steps/models/protocols/wire.hpp"

namespace weft::models {
class EventReader : public ReplyReader {
protected:
    using ReplyReader::ReplyReader;
    virtual void take_event(const net::SseEvent&, const OnDelta&) = 0;  // with data, until done()
    virtual void take_document(const wire::json&, const OnDelta&) = 0;
    virtual Hints hints() const = 0;
    void check(const wire::json& part) const { throw_if_error(part, hints(), key_); }  // of a stream, or all of it
    bool is_document() const { return form_ == Form::document; }
    virtual void finish_events() {}  // there are no more, and the reply has had no end of its own

private:
    enum class Form { unknown, events, document };
    void read(std::string_view bytes, const OnDelta&) final;
    void read_rest(const OnDelta&) final;
    void take_events(const OnDelta&);
    net::SseParser events_;
    std::string document_, begin_;  // the whole; the beginning, until an event has come
    Form form_ = Form::unknown;
    bool has_event_ = false;
};
}
