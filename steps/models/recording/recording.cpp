// The file is locked against a second writer, and another thread writes it; after a failed write the incomplete line is
// cut off. If the model and the write both fail, the caller gets the model's error.
#include "steps/models/recording/recording.hpp"
#include "engine/pool.hpp"
#include "engine/text/descriptor.hpp"
#include "steps/models/recording/recording_text.hpp"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::models {
/// The file and the only thread that writes it: a loop never waits for a disk.
class RecordingModel::RecordingFile {
public:
    RecordingFile(std::string path, const std::vector<Secret>& secrets) : path_(std::move(path)), redactor_(secrets) {
        file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (file_.number() < 0) refuse(std::strerror(errno));
        begin();
    }
    awaitable<void> append(RecordedExchange exchange) {
        auto work = [this, exchange = std::move(exchange)](const std::stop_token&) mutable {
            write(line_of(std::move(exchange), redactor_));
        };
        co_await pool_.run(std::move(work));
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(Code::configuration, "the recording " + path_ + " cannot be written: " + why);
    }
    void begin() {
        struct stat status {};
        if (::fstat(file_.number(), &status) != 0) refuse(std::strerror(errno));
        if (!S_ISREG(status.st_mode)) refuse("it is not a file");
        if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) refuse("another one is writing it");
        char beginning[64];
        const auto n = ::pread(file_.number(), beginning, sizeof beginning, 0);
        if (n < 0 || !may_hold_recording({beginning, static_cast<std::size_t>(n)}))
            refuse("it is there, and is not a recording: give another name, or remove it");
        if (::fchmod(file_.number(), 0600) != 0 || ::ftruncate(file_.number(), 0) != 0) refuse(std::strerror(errno));
        write(recording_head);
    }
    void write(std::string_view line) {
        if (line.size() > longest_exchange) refuse("one exchange is larger than 16 MB");
        if (size_ + line.size() > longest_recording) refuse("it would be larger than 64 MB");
        for (std::size_t done = 0; done < line.size();) {
            const auto n = ::pwrite(file_.number(), line.data() + done, line.size() - done,
                                    static_cast<off_t>(size_ + done));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) {
                const std::string why = n < 0 ? std::strerror(errno) : "nothing more is taken";
                [[maybe_unused]] const int cut = ::ftruncate(file_.number(),
                                                             static_cast<off_t>(size_));  // removes an incomplete line
                refuse(why);
            }
            done += static_cast<std::size_t>(n);
        }
        size_ += line.size();
    }
    const std::string path_;
    const Redactor redactor_;
    Descriptor file_;
    std::size_t size_ = 0;
    Pool pool_{1};  // the last member: its thread ends before the others are destroyed
};

RecordingModel::RecordingModel(ChatModel& inner, const std::string& path, std::vector<Secret> secrets)
    : RecordingModel(std::shared_ptr<ChatModel>(std::shared_ptr<ChatModel>(), &inner), path, std::move(secrets)) {}
RecordingModel::RecordingModel(std::shared_ptr<ChatModel> inner, const std::string& path, std::vector<Secret> secrets)
    : inner_(std::move(inner)), file_(std::make_unique<RecordingFile>(path, secrets)) {}
RecordingModel::~RecordingModel() = default;

awaitable<ChatReply> RecordingModel::chat(const ChatRequest& request, const OnDelta& on_delta) {
    RecordedExchange exchange;
    exchange.model = inner_->name();
    exchange.request = recorded(request);
    auto& deltas = exchange.deltas;
    OnDelta tap;
    std::optional<ChatRequest> listened;  // a note may void deltas
    if (on_delta) {
        tap = [&](std::string_view delta) {
            deltas.emplace_back(delta);
            on_delta(delta);
        };
        listened = request;
        listened->on_note = [&](const CallNote& note) {
            if (is_void_after(note.kind)) deltas.clear();
            if (request.on_note) request.on_note(note);
        };
    }
    ChatReply reply;
    std::exception_ptr error;
    try {
        reply = co_await inner_->chat(listened ? *listened : request, tap);
        exchange.reply = reply;
    } catch (const ModelError& failure) {
        error = std::current_exception();
        exchange.error = recorded(failure);
    }
    try {
        co_await file_->append(std::move(exchange));
    } catch (const Error&) {
        if (!error) throw;  // the model's error takes precedence
    }
    if (error) std::rethrow_exception(error);
    co_return reply;
}
}
