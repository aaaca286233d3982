// The text of a request is its key, in the form of the recording; a lock keeps the order between loops.
#include "engine/error.hpp"
#include "engine/text/read_file.hpp"
#include "steps/models/recording/recording.hpp"
#include "steps/models/recording/recording_text.hpp"
#include "steps/models/recording/request_diff.hpp"
#include "steps/models/thought_filter.hpp"
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>

namespace weft::models {
struct ReplayModel::Impl {
    struct EqualExchanges {  // exchanges with equal requests, in the recorded order
        std::vector<std::size_t> exchanges;
        std::size_t next = 0;
    };
    std::string origin;
    Redactor redactor;
    Recording recording;
    std::map<std::string, EqualExchanges, std::less<>> by_request;
    std::vector<const std::string*> requests;  // the key of each exchange
    mutable std::mutex mutex;

    const RecordedExchange& find(const ChatRequest& request) {
        const auto text = request_text(recorded(request), redactor);
        const std::lock_guard lock(mutex);
        const auto found = by_request.find(text);
        if (found == by_request.end()) throw_mismatch(text);
        auto& same = found->second;
        const auto at = same.exchanges[std::min(same.next, same.exchanges.size() - 1)];
        ++same.next;
        return recording.exchanges[at];
    }
    [[noreturn]] void throw_mismatch(const std::string& asked) const {
        const auto size = recording.exchanges.size();
        std::string sentence = "the recording " + origin + " has no reply to this request";
        if (size == 0) throw Error(Code::script_mismatch, sentence + ", for it is empty: record it again");
        std::size_t closest = 0;
        std::tuple<std::size_t, long, bool> best{};
        for (std::size_t i = 0; i < size; ++i) {
            const auto& same = by_request.at(*requests[i]);
            const auto& text = *requests[i];
            const auto differ = std::mismatch(text.begin(), text.end(), asked.begin(), asked.end()).first;
            const std::tuple likeness{common_messages(text, asked), long(differ - text.begin()), same.next == 0};
            if (i > 0 && likeness <= best) continue;
            closest = i;
            best = likeness;
        }
        sentence += ": record it again if the change is meant. The closest of its " + std::to_string(size) +
                    " exchanges is number " + std::to_string(closest + 1) + "; " +
                    request_diff(*requests[closest], asked);
        throw Error(Code::script_mismatch, sentence);
    }
};

ReplayModel::ReplayModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReplayModel::~ReplayModel() = default;

std::unique_ptr<ReplayModel> ReplayModel::from_text(std::string_view text, const std::string& origin,
                                                    std::vector<Secret> secrets) {
    auto impl = std::make_unique<Impl>();
    impl->origin = origin;
    impl->redactor = Redactor(secrets);
    impl->recording = read_recording(text, origin);
    for (std::size_t i = 0; i < impl->recording.exchanges.size(); ++i) {
        if (auto& exchange = impl->recording.exchanges[i]; exchange.reply && part_thoughts(*exchange.reply))
            exchange.deltas.clear();  // recorded with the reasoning in them
        auto request = request_text(impl->recording.exchanges[i].request, impl->redactor);
        const auto at = impl->by_request.try_emplace(std::move(request)).first;
        at->second.exchanges.push_back(i);
        impl->requests.push_back(&at->first);
    }
    return std::unique_ptr<ReplayModel>(new ReplayModel(std::move(impl)));
}
std::unique_ptr<ReplayModel> ReplayModel::from_file(const std::string& path, std::vector<Secret> secrets) {
    std::error_code none;
    std::optional<std::string> text;
    if (std::filesystem::is_regular_file(path, none))
        text = read_file(path, longest_recording);  // a pipe may never end
    if (!text) throw Error(Code::configuration, "the recording " + path + " cannot be read: is it there, and a file?");
    return from_text(*text, path, std::move(secrets));
}
std::string ReplayModel::name() const { return "replay:" + impl_->origin; }
const std::string& ReplayModel::note() const { return impl_->recording.note; }
std::size_t ReplayModel::size() const { return impl_->recording.exchanges.size(); }
std::size_t ReplayModel::unused() const {
    const std::lock_guard lock(impl_->mutex);
    std::size_t count = 0;
    for (const auto& [request, same] : impl_->by_request)
        count += same.exchanges.size() - std::min(same.next, same.exchanges.size());
    return count;
}
awaitable<ChatReply> ReplayModel::chat(const ChatRequest& request, const OnDelta& on_delta) {
    const auto& exchange = impl_->find(request);
    const auto& text = exchange.reply ? exchange.reply->text : exchange.error->partial;
    if (request.on_reasoning && exchange.reply && !exchange.reply->reasoning.empty())
        request.on_reasoning(exchange.reply->reasoning);
    if (on_delta) {
        for (const auto& delta : exchange.deltas) on_delta(delta);
        if (exchange.deltas.empty() && !text.empty()) on_delta(text);  // recorded without deltas
    }
    if (exchange.error) throw_error(*exchange.error);
    auto reply = *exchange.reply;
    if (reply.answered_by.empty()) reply.answered_by = exchange.model;  // determines the price
    co_return reply;
}
}
