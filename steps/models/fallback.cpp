// Subtracts the retries and time of failed models from the limits of the next one.
#include "steps/models/fallback.hpp"
#include "engine/timeout.hpp"
#include "steps/models/model_error.hpp"
#include <algorithm>

namespace weft::models {
namespace {
/// Requests and errors of the models that have failed so far.
struct Failures {
    int attempts = 0;
    std::string sentences;
    void add(const ModelError& error) {
        attempts += std::max(1, error.details().attempts);
        sentences += (sentences.empty() ? "" : "; ") + std::string(error.what());
    }
};
[[noreturn]] void throw_all(const ModelError& last, const Failures& failed) {
    auto details = last.details();
    details.attempts = failed.attempts;
    if (dynamic_cast<const PromptTooLong*>(&last)) throw PromptTooLong(failed.sentences, std::move(details));
    if (dynamic_cast<const ToolsUnsupported*>(&last)) throw ToolsUnsupported(failed.sentences, std::move(details));
    throw ModelError(last.code(), failed.sentences, std::move(details));
}
void tell(const ChatRequest& request, CallNote::Kind kind, const std::string& model, std::string text) {
    if (request.on_note) request.on_note({.kind = kind, .model = model, .text = std::move(text)});
}
}

FallbackModel::FallbackModel(std::vector<std::shared_ptr<ChatModel>> models, std::chrono::nanoseconds longest_wait)
    : models_(std::move(models)), longest_wait_(longest_wait) {
    if (models_.empty()) throw Error(Code::usage, "a fallback needs at least one model");
}
std::string FallbackModel::name() const {
    std::string all;
    for (const auto& model : models_) all += (all.empty() ? "" : ", else ") + model->name();
    return all;
}
awaitable<ChatReply> FallbackModel::chat(const ChatRequest& request, const OnDelta& on_delta) {
    auto& clock = co_await this_clock();
    const auto begin = clock.now();
    bool delivered = false;
    OnDelta tap;
    if (on_delta)
        tap = [&](std::string_view delta) {
            delivered = true;
            on_delta(delta);
        };
    Failures failed;
    ChatRequest own = request;  // the request for the current model; its limits shrink with each failure
    const auto patience = std::min(longest_wait_, request.longest_wait.value_or(longest_wait_));
    for (std::size_t i = 0;; ++i) {
        const bool last = i + 1 == models_.size();
        own.longest_wait = last ? request.longest_wait : patience;
        try {
            auto reply = co_await models_[i]->chat(own, tap);
            reply.attempts += failed.attempts;
            if (reply.answered_by.empty()) reply.answered_by = models_[i]->name();
            co_return reply;
        } catch (const ModelError& error) {
            failed.add(error);
            if (last || !is_availability(error.kind()) || (delivered && !request.restart)) {
                if (i == 0) throw;
                throw_all(error, failed);
            }
            if (delivered) tell(request, CallNote::Kind::restart, models_[i]->name(), error.what());
            tell(request, CallNote::Kind::fallback, models_[i + 1]->name(), error.what());
        }
        delivered = false;
        if (request.max_retries) own.max_retries = std::max(0, *request.max_retries - failed.attempts + int(i) + 1);
        if (request.time_left)
            own.time_left = std::max<Duration>(Duration::zero(), *request.time_left - (clock.now() - begin));
    }
}
}
