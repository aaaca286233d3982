// Assembles a reply from the bytes of an HTTP body. Each protocol has its own reader; none of them knows HTTP.
//
//     auto reader = openai_chat.reader(request, key);
//     reader->feed(bytes, on_delta);                 // for each piece, until done()
//     ChatReply reply = reader->finish(on_delta);    // at the end of the body
//
// Reasoning within the text is separated from it (steps/models/thought_filter.hpp). All text that one piece of bytes
// brings is one delta, unless reasoning comes between. The reply and the joined deltas are the same for any division of
// the bytes. Throws Fault for an error object, malformed JSON, or a body that ends before the reply does, after the
// delta of the text in front of it. *** replaces the key in the text, the reasoning, their deltas and the sentences of
// faults.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/protocols/parts/key_filter.hpp"
#include "steps/models/protocols/parts/stop_filter.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include "steps/models/protocols/wire/lone_surrogates.hpp"
#include "steps/models/thought_filter.hpp"

namespace weft::models {
class ReplyReader : private ThoughtFilter::Listener {
public:
    ReplyReader(const ChatRequest& request, const Secret& key)
        : key_(key),
          asked_(size_of(request)),
          keys_(key_),
          thought_keys_(key_),
          stops_(request.stop),
          on_reasoning_(request.on_reasoning) {}
    virtual ~ReplyReader() = default;
    ReplyReader(const ReplyReader&) = delete;
    /// Sets a function to call when all delivered text was reasoning, which is delivered again as reasoning afterwards.
    void when_reasoned(std::function<void()> tell) { when_reasoned_ = std::move(tell); }
    void feed(std::string_view bytes, const OnDelta& on_delta);
    /// True if nothing remains to be read: the reply or a stop sequence has ended it.
    bool done() const { return ended_ || stops_.hit(); }
    /// True after the finish reason: the reply is complete, but token counts or an end mark may follow.
    virtual bool may_end() const { return false; }
    /// True if a stop sequence ended the reply while the model may still be writing. The usage is an estimate then,
    /// because servers send it last.
    bool cut() const { return stops_.hit(); }
    ChatReply finish(const OnDelta&);

protected:
    virtual void read(std::string_view bytes) = 0;
    virtual void read_rest() = 0;            // called at the end of the body, if the reply has not ended
    void add(std::string_view text);         // text, which may have reasoning in it
    void think(std::string_view reasoning);  // reasoning outside of the text
    const std::string& written() const { return written_; }  // all text so far, with the reasoning in it
    bool has_thought();                                      // within the text
    const Secret key_;
    ChatReply reply_;
    bool ended_ = false;

private:
    static std::size_t size_of(const ChatRequest&);
    void text(std::string_view) override;
    void thought(std::string_view) override;
    void text_was_thought() override;
    void end_reasoning();
    template <class Read> void read_then_deliver(const OnDelta&, Read);
    void finish_text();
    void filter();
    void keep(std::string_view text);
    void deliver();
    void tell(std::string_view reasoning);
    const std::size_t asked_;  // bytes of the request's messages
    LoneSurrogates halves_, thought_halves_;
    std::string written_;       // the text as the model wrote it
    std::size_t filtered_ = 0;  // bytes of it
    KeyFilter keys_, thought_keys_;
    ThoughtFilter thoughts_{*this};
    StopFilter stops_;
    const OnDelta* on_delta_ = nullptr;  // valid during feed() and finish()
    std::size_t delivered_ = 0;          // bytes of reply_.text
    std::function<void()> when_reasoned_;
    const OnDelta on_reasoning_;
};
}
