// A lock belongs to a file and not to its name, and each save replaces the file: after locking, a writer checks that
// the name still leads to the locked file. Unknown members are kept.
#include "steps/agents/memory/trace_file.hpp"
#include "engine/asio.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/retry.hpp"
#include "engine/text/descriptor.hpp"
#include "engine/text/replace_file.hpp"
#include "engine/text/text.hpp"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace weft::agents {
namespace {
using nlohmann::json;
namespace fs = std::filesystem;
constexpr std::size_t most_bytes = 16u << 20;
constexpr auto questions = "question_trace", answers = "answer_trace", runs = "run_trace";

[[noreturn]] void refuse_trace(const std::string& path, const std::string& why) {
    throw Error(Code::configuration, "the memory file " + path + " " + why);
}
[[noreturn]] void refuse_errno(const std::string& path, const char* what, const char* cure) {
    refuse_trace(path, std::string(what) + ": " + std::strerror(errno) + "; " + cure);
}

std::string read_all(int file, const std::string& path) {
    struct stat about {};
    if (::fstat(file, &about) != 0) refuse_errno(path, "cannot be read", "give another one");
    if (!S_ISREG(about.st_mode))
        refuse_trace(path, "is not a plain file: name a plain file, or one that does not exist yet");
    std::string text;
    char block[64 << 10];
    for (::off_t at = 0;; at += static_cast<::off_t>(sizeof block)) {
        const auto n = ::pread(file, block, sizeof block, at);
        if (n < 0) refuse_errno(path, "cannot be read", "give another one");
        text.append(block, static_cast<std::size_t>(n));
        if (text.size() > most_bytes) refuse_trace(path, "is larger than 16 MB: remove a part, or give another one");
        if (n < static_cast<::ssize_t>(sizeof block)) return text;
    }
}
struct Content {
    TraceContent trace;
    json others;  // unknown members
};
std::vector<std::string> strings(const json& object, const char* name, const std::string& path) {
    const auto at = object.find(name);
    if (at == object.end()) refuse_trace(path, std::string("is no memory: it has no ") + name + "; give another one");
    std::vector<std::string> texts;
    if (at->is_array())
        for (const auto& text : *at)
            if (text.is_string()) texts.push_back(text.get<std::string>());
    if (!at->is_array() || texts.size() != at->size())
        refuse_trace(path, std::string("is no memory: its ") + name +
                               " must be a list of texts; mend it or give another one");
    return texts;
}
Content parse(const std::string& text, const std::string& path) {
    Content content{{}, json::object()};
    if (is_blank(text)) return content;
    try {
        content.others = parse_json(text, {.bytes = most_bytes});
    } catch (const Error& error) {
        refuse_trace(path,
                     std::string("is not JSON (") + error.what() + "): mend it, move it away, or give another one");
    }
    auto& object = content.others;
    if (!object.is_object()) refuse_trace(path, "is no memory: it must hold a JSON object; give another one");
    if (object.empty()) return content;
    auto asked = strings(object, questions, path), answered = strings(object, answers, path);
    if (asked.size() != answered.size())
        refuse_trace(path, "has " + std::to_string(asked.size()) + " questions and " + std::to_string(answered.size()) +
                               " answers: make the two lists equally long, or give another file");
    for (std::size_t i = 0; i < asked.size(); ++i)
        content.trace.exchanges.push_back({std::move(asked[i]), std::move(answered[i])});
    if (object.contains(runs)) content.trace.marks = strings(object, runs, path);
    for (const char* name : {questions, answers, runs}) object.erase(name);
    return content;
}
std::string print(const Content& content) {
    nlohmann::ordered_json object;
    object[questions] = nlohmann::ordered_json::array();  // the format begins with it
    object[answers] = nlohmann::ordered_json::array();
    for (const auto& exchange : content.trace.exchanges) {
        object[questions].push_back(exchange.question);
        object[answers].push_back(exchange.answer);
    }
    if (!content.trace.marks.empty()) object[runs] = content.trace.marks;
    for (const auto& [name, value] : content.others.items()) object[name] = value;
    return object.dump(4, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

/// Locks the file at the path, and makes it if it is missing. If the file is replaced during the wait, locks the new
/// one.
int lock(const std::string& target, const std::string& path, const std::stop_token& stop,
         std::chrono::milliseconds wait) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    for (unsigned tries = 1;; ++tries) {
        const int file = ::open(target.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (file < 0) refuse_errno(path, "cannot be written to", "check its rights, or give another one");
        struct stat opened {
        }, named{};
        const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0;
        const bool busy = !locked && (errno == EWOULDBLOCK || errno == EINTR);
        if (locked && ::fstat(file, &opened) == 0 && ::stat(target.c_str(), &named) == 0 &&
            opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
            return file;
        const auto error = errno;
        ::close(file);
        errno = error;
        if (!locked && !busy) refuse_errno(path, "cannot be locked", "give one on a local disk");
        if (stop.stop_requested()) throw boost::system::system_error(asio::error::operation_aborted);
        if (std::chrono::steady_clock::now() >= deadline)
            refuse_trace(path, "is locked by another process for too long: the new exchanges were not saved");
        std::this_thread::sleep_for(
            Wait{std::chrono::milliseconds(1), std::chrono::milliseconds(50), 2}.before_retry(tries));
    }
}
/// Called under the lock, so there is one writer. Only a killed process can have left a file under the temporary name.
void replace(const std::string& target, const std::string& text, const std::string& path) {
    try {
        replace_file(target, "." + fs::path(target).filename().string() + ".new", text, 0600);
    } catch (const CannotReplace& failure) {
        errno = failure.error;
        if (failure.step == CannotReplace::write) refuse_errno(path, "cannot be written to", "make room on its disk");
        if (failure.step == CannotReplace::sync) refuse_errno(path, "cannot be written to", "check its disk");
        refuse_errno(path, "cannot be replaced", "check the rights of its folder");
    }
}
}

TraceFile::TraceFile(const std::string& path) : path_(path) {
    if (path.empty()) throw Error(Code::configuration, "the memory file has no name: give it one, such as memory.json");
    std::error_code error;
    const auto followed = follow_links(path);
    if (!followed) refuse_trace(path_, "is a symbolic link that leads back to itself: give another one");
    const auto& target = *followed;
    if (!target.has_filename() || !fs::is_directory(target.parent_path(), error))
        refuse_trace(path_, "has no folder: make the folder first, or give another file");
    target_ = target.string();
    // A save makes a new file in the folder. A missing right is reported now, not after each run.
    const auto may = [](const std::string& name, int what) {
        return ::faccessat(AT_FDCWD, name.c_str(), what, AT_EACCESS) == 0 || errno == ENOENT;
    };
    if (!may(target_, W_OK) || !may(target.parent_path().string(), W_OK | X_OK))
        refuse_trace(path_,
                     "cannot be written to: check the rights of the file and of its folder, or give another one");
}
std::vector<Exchange> TraceFile::read() const {
    const Descriptor file(::open(target_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0 && errno == ENOENT) return {};
    if (file.number() < 0) refuse_errno(path_, "cannot be read", "check its rights, or give another one");
    return parse(read_all(file.number(), path_), path_).trace.exchanges;
}
void TraceFile::change(const std::stop_token& stop, std::chrono::milliseconds wait,
                       const std::function<void(TraceContent&)>& edit) const {
    const Descriptor file(lock(target_, path_, stop, wait));
    auto content = parse(read_all(file.number(), path_), path_);
    edit(content.trace);
    replace(target_, print(content), path_);
}
}
