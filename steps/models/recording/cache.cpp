// Replies are in memory, and another thread appends the lines. A process that rewrites the file replaces it by another
// one, so a process that has locked the former file opens it again. Each lock includes a check of the file's beginning,
// because the file may have been removed or replaced.
#include "steps/models/recording/cache.hpp"
#include "engine/error.hpp"
#include "engine/pool.hpp"
#include "engine/text/descriptor.hpp"
#include "engine/text/replace_file.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/recording/cached_replies.hpp"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace weft::models {
namespace {
/// The same name may belong to another model at another address.
std::string known_as(const ChatModel& model) {
    const auto* http = dynamic_cast<const HttpModel*>(&model);
    return http ? model.name() + '\n' + http->protocol().name + ' ' + http->base().text() : model.name();
}
bool is_its_own(const ChatReply& reply, const ChatModel& model) {
    return reply.answered_by.empty() || reply.answered_by == model.name();
}
}
class CachedModel::CacheFile {
public:
    CacheFile(const std::string& path, const std::vector<Secret>& secrets, CacheLimits limits)
        : named_(path), redactor_(secrets), limits_(limits) {
        std::error_code unknown;
        path_ = std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown).string();
        if (path.empty() || unknown) refuse("there is no such place");
        const auto text = [&] {
            const auto file = open_locked({});
            begin(file.number());
            return read(file.number());
        }();
        replies_ = read_cache(text, limits_.bytes);
    }
    std::string key_of(const ChatModel& model, const ChatRequest& request) const {
        return cache_key(known_as(model), request, redactor_);
    }
    std::optional<ChatReply> find(const std::string& key) const {
        const std::lock_guard lock(mutex_);
        return replies_.find(key);
    }
    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return replies_.size();
    }
    /// Returns the error; empty: success.
    awaitable<std::string> keep(std::string key, std::string model, ChatReply reply) {
        CachedReply entry{std::move(key), std::move(model), std::move(reply)};
        std::string line = cache_line(entry, redactor_);
        if (line.empty() || line.size() > std::min(limits_.reply_bytes, limits_.bytes / 8)) co_return std::string();
        auto work = [this, line = std::move(line), entry = std::move(entry)](const std::stop_token& stop) mutable {
            return write(line, std::move(entry), stop);
        };
        auto why = co_await pool_.run(std::move(work));
        co_return why;
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(Code::configuration, "the cache " + named_ + " cannot be used: " + why);
    }
    /// Opens the file at the path and locks it against other writers.
    Descriptor open_locked(const std::stop_token& stop) const {
        for (;;) {
            Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600));
            if (file.number() < 0) refuse(std::strerror(errno));
            struct stat mine {
            }, there{};
            if (::fstat(file.number(), &mine) != 0) refuse(std::strerror(errno));
            if (!S_ISREG(mine.st_mode)) refuse("it is not a file");
            lock(file.number(), stop);
            if (::stat(path_.c_str(), &there) != 0 || there.st_ino != mine.st_ino || there.st_dev != mine.st_dev)
                continue;  // another process has replaced it
            return file;
        }
    }
    void lock(int file, const std::stop_token& stop) const {
        constexpr std::chrono::milliseconds pause(10);
        for (auto left = limits_.lock_wait; ::flock(file, LOCK_EX | LOCK_NB) != 0;) {
            if (errno == EINTR) continue;
            if (errno != EWOULDBLOCK) refuse(std::strerror(errno));
            if (left < pause || stop.stop_requested()) refuse("another process holds its lock");
            std::this_thread::sleep_for(pause);
            left -= pause;
        }
    }
    /// Checks that the file is a cache or empty, makes it private, and writes the head if it is empty. Returns the
    /// size.
    off_t begin(int file) const {
        struct stat status {};
        if (::fstat(file, &status) != 0) refuse(std::strerror(errno));
        char first[cache_head.size()];
        const auto n = ::pread(file, first, sizeof first, 0);
        if (n < 0) refuse(std::strerror(errno));
        const std::string_view is(first, std::size_t(n));
        if (!cache_head.starts_with(is)) refuse("it is there, and is not a cache: give another name, or remove it");
        if ((status.st_mode & 0777) != 0600 && ::fchmod(file, 0600) != 0) refuse(std::strerror(errno));
        if (is == cache_head) return status.st_size;
        append(file, cache_head.substr(is.size()), status.st_size);  // new, or cut by the end of a process
        return off_t(cache_head.size());
    }
    std::string read(int file) const {
        std::string text;
        char piece[1 << 16];
        for (;;) {
            const auto n = ::pread(file, piece, sizeof piece, static_cast<off_t>(text.size()));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) refuse(std::strerror(errno));
            if (n == 0) return text;
            text.append(piece, static_cast<std::size_t>(n));
            if (text.size() > limits_.bytes + limits_.reply_bytes + 1024)
                refuse("it is longer than " + std::to_string(limits_.bytes) + " bytes: remove it");
        }
    }
    void append(int file, std::string_view text, off_t size) const {
        for (std::size_t done = 0; done < text.size();) {
            const auto n = ::write(file, text.data() + done, text.size() - done);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) {
                const std::string why = n < 0 ? std::strerror(errno) : "nothing more is taken";
                [[maybe_unused]] const int cut = ::ftruncate(file, size);  // removes an incomplete line
                refuse(why);
            }
            done += static_cast<std::size_t>(n);
        }
    }
    /// False if the last line is incomplete, because a process was killed.
    static bool ends_in_a_line(int file, off_t size) {
        char last = '\n';
        return size == 0 || ::pread(file, &last, 1, size - 1) != 1 || last == '\n';
    }
    std::string write(const std::string& line, CachedReply entry, const std::stop_token& stop) {
        try {
            const auto file = open_locked(stop);
            const auto size = begin(file.number());
            if (std::size_t(size) + line.size() + 1 > limits_.bytes) {
                write_anew(read(file.number()), line);
                return {};
            }
            append(file.number(), (ends_in_a_line(file.number(), size) ? "" : "\n") + line, size);
            const std::lock_guard lock(mutex_);
            replies_.put(std::move(entry), line.size());
            return {};
        } catch (const Error& error) { return error.what(); }
    }
    /// Replaces the file by its newest lines, with a quarter free. The caller holds the lock of the former file.
    void write_anew(const std::string& text, const std::string& line) {
        auto fresh = newest_lines(text, limits_.bytes / 4 * 3) + line;
        const std::filesystem::path target(path_);
        try {
            replace_file(target, target.filename().string() + '.' + std::to_string(::getpid()) + ".weft", fresh, 0600);
        } catch (const CannotReplace& failure) { refuse(std::strerror(failure.error)); }
        auto replies = read_cache(fresh, limits_.bytes);
        const std::lock_guard lock(mutex_);
        replies_ = std::move(replies);
    }
    const std::string named_;
    std::string path_;
    const Redactor redactor_;
    const CacheLimits limits_;
    mutable std::mutex mutex_;
    CachedReplies replies_{0};
    Pool pool_{1};  // the last member: its thread ends before the others are destroyed
};

CachedModel::CachedModel(ChatModel& inner, const std::string& path, std::vector<Secret> secrets, CacheLimits limits)
    : CachedModel(std::shared_ptr<ChatModel>(std::shared_ptr<ChatModel>(), &inner), path, std::move(secrets), limits) {}
CachedModel::CachedModel(std::shared_ptr<ChatModel> inner, const std::string& path, std::vector<Secret> secrets,
                         CacheLimits limits)
    : inner_(std::move(inner)), file_(std::make_shared<CacheFile>(path, secrets, limits)) {}
CachedModel::CachedModel(std::shared_ptr<ChatModel> inner, const CachedModel& other)
    : inner_(std::move(inner)), file_(other.file_) {}
CachedModel::~CachedModel() = default;
std::size_t CachedModel::size() const { return file_->size(); }

awaitable<ChatReply> CachedModel::chat(const ChatRequest& request, const OnDelta& on_delta) {
    auto key = file_->key_of(*inner_, request);
    if (auto known = file_->find(key)) {
        if (request.on_note)
            request.on_note({CallNote::Kind::cached, inner_->name(),
                             "the reply comes from the cache, and costs nothing", std::chrono::milliseconds(0)});
        if (request.on_reasoning && !known->reasoning.empty()) request.on_reasoning(known->reasoning);
        if (on_delta && !known->text.empty()) on_delta(known->text);
        known->cached = true;
        known->usage = {};
        known->attempts = 1;
        co_return std::move(*known);
    }
    auto reply = co_await inner_->chat(request, on_delta);
    if (may_be_cached(reply) && is_its_own(reply, *inner_)) {
        auto keeping = file_->keep(std::move(key), inner_->name(), reply);
        const auto why = co_await std::move(keeping);
        if (!why.empty() && request.on_note)
            request.on_note({CallNote::Kind::cached, inner_->name(), why, std::chrono::milliseconds(0)});
    }
    co_return reply;
}
}
