// The sum is a 64-bit XXH3, which costs almost nothing compared with the text. It finds damage; it is no defence
// against manipulation.
#include "engine/store.hpp"
#include "engine/error.hpp"
#include <array>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weft {
using namespace storage;
std::uint64_t storage::chained_sum(std::uint64_t before, std::uint64_t seq, std::string_view body) {
    std::array<unsigned char, 16> place{};  // the same bytes on every machine
    for (std::size_t i = 0; i < place.size(); ++i)
        place[i] = static_cast<unsigned char>((i < 8 ? before : seq) >> 8 * (i % 8));
    return XXH3_64bits_withSeed(body.data(), body.size(), XXH3_64bits(place.data(), place.size()));
}
void storage::check_room_for_signal(const std::string& run, const std::vector<Mail>& unread, std::size_t bytes) {
    for (auto& mail : unread) bytes += mail.body.size();
    if (unread.size() < most_unread_mail && bytes <= most_unread_mail_bytes) return;
    throw Error(Code::usage, "the inbox of run " + run + " is full: it has room for " +
                                 std::to_string(most_unread_mail) + " unread mails of " +
                                 std::to_string(most_unread_mail_bytes >> 20) +
                                 " MiB together. Let an engine execute the run, then send the signal again");
}
void Store::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    struct Progress {
        std::mutex mutex;
        std::vector<CreateReply> replies;
        std::exception_ptr error;
        std::size_t left = 0;
    };
    if (runs.empty()) return then(nullptr, {});
    const auto progress = std::make_shared<Progress>();
    progress->left = runs.size();
    progress->replies.resize(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        create(std::move(runs[i]), [progress, i, then](std::exception_ptr error, CreateReply reply) {
            {
                std::lock_guard lock(progress->mutex);
                if (error && !progress->error) progress->error = error;
                progress->replies[i] = std::move(reply);
                if (--progress->left > 0) return;
            }
            then(progress->error, std::move(progress->replies));
        });
}
void Store::find_shards(std::vector<std::string> runs, Then<std::vector<std::size_t>> then) {
    then(nullptr, std::vector<std::size_t>(runs.size()));
}
void Store::set_limits(QueueLimits, Then<bool> then) {
    then(std::make_exception_ptr(Error(Code::usage, "this store cannot limit queues: its author has to add it")),
         false);
}
void Store::set_model_limit(ModelLimit, Then<bool> then) {
    then(std::make_exception_ptr(Error(Code::usage, "this store cannot limit models: its author has to add it")),
         false);
}
void Store::model_limits(Then<std::vector<ModelFlow>> then) { then(nullptr, {}); }
void Store::take_quota(QuotaRequest, Then<QuotaReply> then) { then(nullptr, {}); }
void Store::load_mail(std::string run, Then<std::vector<Mail>> then) {
    const auto take = [then = std::move(then)](std::exception_ptr error, History history) {
        then(error, std::move(history.mail));
    };
    load(std::move(run), take, std::numeric_limits<std::int64_t>::max());
}
}
