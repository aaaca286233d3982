// Stores replies of a model, so that equal requests are paid only once: for development, and for tools and tests that
// repeat their requests. Used only on request.
//
//     CachedModel cheap(real, "cache.jsonl", {key});        // like the real one, but repeats its former replies
//     auto reply = co_await cheap.chat(request);
//     if (reply.cached) std::cout << "for nothing\n";
//
// The key of a request is the model - its name, and for an HttpModel also protocol and address - and the content, as in
// a recording (steps/models/recording/recording.hpp): messages, tools, choice, stop, sampling, schema. The cache keeps
// complete replies and calls of tools, but no errors, refusals or replies that were cut off. It does not keep a reply
// of another model, which would otherwise return when this one is available again. So each model of a FallbackModel
// gets its own cache, and the fallback none. A cached reply sends a CallNote, has no usage, and costs no
// budget. A request with a temperature gets the same reply each time: use no cache if that matters.
//
// The file has one line for each reply, is readable by its owner only (0600), and can be shared by any number of
// processes: each sees the replies from before its start, and its own. A line has a hash of the request, and the whole
// reply; a reply with a secret is not kept. File and memory are bounded: the oldest replies make room. The file is
// replaced as a whole, or a line is appended; an incomplete line of a killed process is ignored, and a removed file
// starts again. The constructor blocks, and throws Error{configuration} if the file cannot be read or created, or is
// not a cache; such a file stays unchanged. If a later reply cannot be written, or another process holds the lock too
// long, a CallNote reports it; the caller gets the reply, and the next equal request goes to the model.
//
// Any number of runs on any loops may share one object, if they may share the inner model.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/secret.hpp"
#include <memory>

namespace weft::models {
/// Bounds of a cache's file, of its memory, and of the wait for its lock.
struct CacheLimits {
    std::size_t bytes = 64u << 20;              // maximum size of the file, and of the replies in memory
    std::size_t reply_bytes = 1u << 20;         // maximum line, at most an eighth of `bytes`; longer ones are dropped
    std::chrono::milliseconds lock_wait{2000};  // maximum wait for another process's lock
};
class CachedModel final : public ChatModel {
public:
    /// The inner model must outlive this object.
    CachedModel(ChatModel& inner, const std::string& path, std::vector<Secret> secrets = {}, CacheLimits limits = {});
    CachedModel(std::shared_ptr<ChatModel> inner, const std::string& path, std::vector<Secret> secrets = {},
                CacheLimits limits = {});
    /// Shares the file and memory of another object.
    CachedModel(std::shared_ptr<ChatModel> inner, const CachedModel& other);
    ~CachedModel() override;
    std::string name() const override { return inner_->name(); }
    bool calls_tools() const override { return inner_->calls_tools(); }
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;
    std::size_t size() const;  // number of known replies, of all models

private:
    class CacheFile;
    std::shared_ptr<ChatModel> inner_;
    std::shared_ptr<CacheFile> file_;
};
}
