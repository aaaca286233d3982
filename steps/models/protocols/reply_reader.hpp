// A reply that is put together from the bytes of an HTTP body. Each protocol has one; none of them knows HTTP.
//
//     auto reader = openai_chat.reader(request, key);
//     reader->feed(bytes, on_delta);                 // as often as some come, until done()
//     ChatReply reply = reader->finish(on_delta);    // the body has ended
//
// Reasoning that stands in the text is parted from it (steps/models/thought_filter.hpp). However the bytes are cut,
// deltas and reply are the same. Throws Fault: an error object, broken JSON, an end before the reply's own end. A body
// that ends early is never a reply. Where the server repeats the key there is *** instead, in the text, the reasoning,
// the deltas of both and the sentences of faults.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/protocols/fault.hpp"
#include "steps/models/protocols/half_pairs.hpp"
#include "steps/models/protocols/key_filter.hpp"
#include "steps/models/protocols/stop_filter.hpp"
#include "steps/models/thought_filter.hpp"
#include <memory>

namespace weft::models {
class ReplyReader : private ThoughtFilter::Listener {
public:
    ReplyReader(const ChatRequest& request, const Secret& key)
        : key_(key),
          asked_(size_of(request)),
          keys_(key),
          thought_keys_(key),
          stops_(request.stop),
          on_reasoning_(request.on_reasoning) {}
    virtual ~ReplyReader() = default;
    ReplyReader(const ReplyReader&) = delete;
    /// Called when all text that was delivered turns out to be reasoning, which is told again as such afterwards.
    void when_reasoned(std::function<void()> tell) { when_reasoned_ = std::move(tell); }
    void feed(std::string_view bytes, const OnDelta& on_delta) {
        if (!done()) read(bytes, on_delta);
    }
    /// Nothing more has to be read: the reply has ended, or a stop sequence has ended it for us.
    bool done() const { return ended_ || stops_.hit(); }
    /// The reply has its reason to finish: it is whole, though counts of tokens or an end of its own may still come.
    virtual bool may_end() const { return false; }
    /// A stop sequence has ended it while the model may still be writing. Servers send the usage last, so it is an
    /// estimate then.
    bool cut() const { return stops_.hit(); }
    ChatReply finish(const OnDelta&);

protected:
    virtual void read(std::string_view bytes, const OnDelta&) = 0;
    virtual void read_rest(const OnDelta&) = 0;           // the body has ended before the reply
    void add(std::string_view text, const OnDelta&);      // in which there may be reasoning
    void think(std::string_view reasoning);               // reasoning, which is not part of the text
    bool has_thought() const { return thoughts_.any(); }  // in the text
    const Secret key_;
    ChatReply reply_;
    bool ended_ = false;

private:
    static std::size_t size_of(const ChatRequest&);
    void text(std::string_view) override;
    void thought(std::string_view) override;
    void text_was_thought() override;
    void deliver(const std::string& text);
    void tell(std::string_view reasoning);
    const std::size_t asked_;  // bytes
    HalfPairs halves_, thought_halves_;
    KeyFilter keys_, thought_keys_;
    ThoughtFilter thoughts_{*this};
    StopFilter stops_;
    const OnDelta* on_delta_ = nullptr;  // while something is added
    std::function<void()> when_reasoned_;
    const OnDelta on_reasoning_;
};
}
