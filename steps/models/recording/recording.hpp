// Records the conversations with a model in a file, and a model that answers from such a file: for tests without
// network and key, and for inspection of the real requests and replies.
//
//     RecordingModel model(real, "sales.jsonl", {key});           // like the real one; each exchange becomes a line
//     auto replay = ReplayModel::from_file("sales.jsonl");        // answers the same requests with the same replies
//
// Each RecordingModel starts the file again (steps/models/recording/recorded_exchange.hpp describes its form); it
// replaces only a recording, and refuses any other file. Only its owner can read it (0600), and one object writes it at
// a time. *** replaces all secrets, also encoded ones; prompts and replies are complete. A request of a cancelled run
// leaves no line. The constructor and chat() throw Error{configuration} if they cannot write.
//
// Replay compares the content of requests: messages, tools, choice, stop, sampling and schema, but not the model's
// name. Equal requests get their replies in the recorded order, then the last one again; different requests may come in
// any order, from any number of runs and loops. Recorded errors are thrown again. An unknown request throws
// Error{script_mismatch}, which names the closest request, and shows the differences and their lines.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/secret.hpp"
#include <memory>

namespace weft::models {
class RecordingModel final : public ChatModel {
public:
    /// The inner model must outlive this object.
    RecordingModel(ChatModel& inner, const std::string& path, std::vector<Secret> secrets = {});
    RecordingModel(std::shared_ptr<ChatModel> inner, const std::string& path, std::vector<Secret> secrets = {});
    ~RecordingModel() override;
    std::string name() const override { return inner_->name(); }
    bool calls_tools() const override { return inner_->calls_tools(); }
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;

private:
    class RecordingFile;
    std::shared_ptr<ChatModel> inner_;
    std::unique_ptr<RecordingFile> file_;
};

class ReplayModel final : public ChatModel {
public:
    /// Both throw Error{configuration} if the text is not a recording. Recordings lack the secrets of prompts: pass
    /// them here, too, so that they are removed from requests before the search.
    static std::unique_ptr<ReplayModel> from_file(const std::string& path, std::vector<Secret> secrets = {});
    static std::unique_ptr<ReplayModel> from_text(std::string_view text, const std::string& origin,
                                                  std::vector<Secret> secrets = {});
    ~ReplayModel() override;
    std::string name() const override;  // replay:sales.jsonl
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;
    /// A sentence about a part of the file that was skipped; empty: none.
    const std::string& note() const;
    std::size_t size() const;    // number of exchanges
    std::size_t unused() const;  // exchanges not replayed so far

private:
    struct Impl;
    explicit ReplayModel(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};
}
