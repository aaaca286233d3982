// Conversations with a model, written to a file as they happen, and a model that answers from such a file: for tests
// that need neither network nor key, and for looking at what was really sent and received.
//
//     RecordingModel model(real, "sales.jsonl", {key});           // as the real one; each exchange becomes a line
//     auto replay = ReplayModel::from_file("sales.jsonl");        // answers the same requests with the same replies
//
// The file (steps/models/recording/recorded_exchange.hpp says its form) begins anew with each RecordingModel; only a
// recording is replaced, any other file refused. It is for its owner alone (0600), and nobody else writes it meanwhile.
// Secrets are *** wherever they stand, also encoded; prompts and replies are there in full. A request whose run was
// cancelled leaves no line. What cannot be written is Error{configuration}, from the constructor or from chat.
//
// Replay goes by the content of the request: messages, tools, choice, stop, sampling and schema, not by the model's
// name. One that was recorded several times gets its replies in the order in which they came, then the last again; in
// whatever order different ones come, from any number of runs and loops. Errors come again as they were. A request that
// is not there is Error{script_mismatch}, which names the closest one and what differs, and shows the lines.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/secret.hpp"
#include <memory>

namespace weft::models {
class RecordingModel final : public ChatModel {
public:
    /// The inner model outlives this one.
    RecordingModel(ChatModel& inner, const std::string& path, std::vector<Secret> secrets = {});
    RecordingModel(std::shared_ptr<ChatModel> inner, const std::string& path, std::vector<Secret> secrets = {});
    ~RecordingModel() override;
    std::string name() const override { return inner_->name(); }
    bool calls_tools() const override { return inner_->calls_tools(); }
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;

private:
    class File;
    std::shared_ptr<ChatModel> inner_;
    std::unique_ptr<File> file_;
};

class ReplayModel final : public ChatModel {
public:
    /// Both throw Error{configuration} for what is no recording. Secrets that a prompt contains were not recorded: give
    /// them here too, so that they are taken out before the request is looked for.
    static std::unique_ptr<ReplayModel> from_file(const std::string& path, std::vector<Secret> secrets = {});
    static std::unique_ptr<ReplayModel> from_text(std::string_view text, const std::string& origin,
                                                  std::vector<Secret> secrets = {});
    ~ReplayModel() override;
    std::string name() const override;  // replay:sales.jsonl
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;
    /// What was left out of the file when it was read; empty if nothing was.
    const std::string& note() const;
    std::size_t size() const;    // exchanges
    std::size_t unused() const;  // exchanges that were not replayed so far

private:
    struct Impl;
    explicit ReplayModel(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};
}
