// Reads a reply as server-sent events or as one JSON document, which a server may send even if asked for a stream. The
// first byte that is not blank decides. Base class of the readers of such protocols.
//
// Finds errors in any form: an event named error, a document, a sentence instead of JSON, a body without events, or a
// web page.
#pragma once
#include "engine/net/sse.hpp"
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/wire/wire.hpp"

namespace weft::models {
/// Reads the form of a body; a derived class reads the events and documents of its protocol.
class SseReplyReader : public ReplyReader {
protected:
    using ReplyReader::ReplyReader;
    virtual void take_event(const net::SseEvent&) = 0;  // gets events with data, until done()
    virtual void take_document(const wire::json&) = 0;
    /// Takes a document of the usual form without a tree. Returns false for any other.
    virtual bool take_plain_document(std::string_view) { return false; }
    virtual ProviderHints hints() const = 0;
    void check(const wire::json& part) const { throw_if_error(part, hints(), key_); }  // a part of a stream, or all
    bool is_document() const { return form_ == Form::document; }
    virtual void finish_events() {}  // called if the events end before the reply does

private:
    enum class Form { unknown, events, document };
    void read(std::string_view bytes) final;
    void read_rest() final;
    void take_events();
    net::SseParser events_;
    std::string document_, begin_;  // the document; the text before the first event
    Form form_ = Form::unknown;
    bool has_event_ = false;
};
}
