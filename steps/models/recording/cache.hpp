// Replies that a model has given before, so that the same request is not paid for again: for developing, and for tools
// and tests that ask the same thing many times. Off unless somebody asks for it.
//
//     CachedModel cheap(real, "cache.jsonl", {key});        // as the real one; what it has said before, it says again
//     auto reply = co_await cheap.chat(request);
//     if (reply.cached) std::cout << "for nothing\n";
//
// A request is known by the model, which is its name and, of an HttpModel, protocol and address too, and by its
// content, as in a recording (steps/models/recording/recording.hpp): messages, tools, choice, stop, sampling, schema.
// Kept are whole replies and calls of tools; not errors, refusals, nor what was cut off. What another model has said in
// place of this one is not kept either: it would be given again when this one answers. So each model of a FallbackModel
// gets a cache of its own, and the fallback none. A cached reply is told by a CallNote, has no usage, and costs no
// budget. A request that is sampled with a temperature gets the same reply each time: do without a cache where that
// matters.
//
// The file is one of lines, for its owner alone (0600), and may be shared by any number of processes: each sees what
// was there when it began, and what it has asked itself. Of a request it has a hash, of a reply all of it; a reply in
// which a secret stands is not kept. Neither file nor memory grows beyond the bound: the oldest replies make room. The
// file is replaced as a whole or a line is added; half a line, of a process that was killed, is ignored, and a file
// that was removed begins anew. What cannot be read or made is Error{configuration}, from the constructor, which
// blocks; so is a file that is there and no cache, which stays as it is. If a reply cannot be written later, or another
// process holds the file for too long, a CallNote says so; the reply is given all the same, and asked for again the
// next time.
//
// Any number of runs, on any loops, may use one object at the same time, if they may use the inner model so.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/secret.hpp"
#include <memory>

namespace weft::models {
struct CacheLimits {
    std::size_t bytes = 64u << 20;              // of the file, and of the replies in memory
    std::size_t reply_bytes = 1u << 20;         // of a line; at most an eighth of all; longer ones are not kept
    std::chrono::milliseconds lock_wait{2000};  // for another process that is at the file
};
class CachedModel final : public ChatModel {
public:
    /// The inner model outlives this one.
    CachedModel(ChatModel& inner, const std::string& path, std::vector<Secret> secrets = {}, CacheLimits limits = {});
    CachedModel(std::shared_ptr<ChatModel> inner, const std::string& path, std::vector<Secret> secrets = {},
                CacheLimits limits = {});
    /// With the file and the memory of another one.
    CachedModel(std::shared_ptr<ChatModel> inner, const CachedModel& other);
    ~CachedModel() override;
    std::string name() const override { return inner_->name(); }
    bool calls_tools() const override { return inner_->calls_tools(); }
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;
    std::size_t size() const;  // replies that are known, of all models

private:
    class File;
    std::shared_ptr<ChatModel> inner_;
    std::shared_ptr<File> file_;
};
}
