// libedit does not notice signals or pastes, so it reads characters through a function of this file. Pasted text
// becomes one line: otherwise each of its lines would be a question.
#include "workflows/driver/terminal/input_lines.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/escapes.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include "workflows/driver/terminal/static_program.hpp"
#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <exception>
#include <functional>
#include <histedit.h>
#include <limits>
#include <poll.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace weft::driver {
namespace {
constexpr std::size_t longest = 1 << 20;
// A terminal encloses pasted text in these marks, on request.
constexpr const char *begin_pastes = "\x1B[?2004h", *end_pastes = "\x1B[?2004l";
constexpr const char* paste_begins = "\\e[200~";  // libedit's notation of keys
constexpr std::wstring_view paste_ends = L"\x1B[201~";

bool understands_pastes() {
    const char* name = std::getenv("TERM");
    return name && *name && std::strcmp(name, "dumb") != 0;
}
/// Whether libedit can tell characters from bytes. glibc has UTF-8 in a file, which a small container may lack. Other
/// character sets are modules of the system, which a static driver cannot load.
bool reads_characters() {
    if (!is_static_program) std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    return MB_CUR_MAX > 1;
}
/// Makes pasted text a part of one line: turns line breaks and tabs into blanks, and drops other control characters.
void add_pasted(std::wstring& line, wchar_t c) {
    const bool blank = c == L'\n' || c == L'\r' || c == L'\t';
    const bool control = (c < 0x20 && !blank) || (c >= 0x7F && c < 0xA0);
    if (control || line.size() > longest) return;
    if (!blank) line += c;
    else if (!line.empty() && line.back() != L' ') line += L' ';
}

using Deadline = InputLines::Deadline;

int milliseconds_until(const Deadline& deadline) {  // the argument of poll()
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - InputLines::SteadyClock::now()).count();
    return int(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}
[[noreturn]] void refuse_input(int error) {
    const char* why = error == EBADF ? "it is closed" : error == EISDIR ? "it is a folder" : std::strerror(error);
    throw Error(Code::configuration,
                std::string("standard input cannot be read: ") + why + "; give it a terminal, a file or a pipe");
}
/// The ends of a wait for input: descriptors that become readable, or -1, and a time.
struct WaitEnds {
    int interrupted = -1, unwanted = -1;
    Deadline deadline;
    int continued = -1;  // readable when the process continues after a stop: calls on_continued
    std::function<void()> on_continued;
};
/// Returns the result of read(), 0 at the end of the input. Throws Error{cancelled} if a descriptor is readable,
/// Error{timed_out} after the deadline, Error{configuration} for an input that cannot be read.
std::size_t read_some(char* buffer, std::size_t size, const WaitEnds& ends) {
    for (;;) {
        pollfd any[] = {{STDIN_FILENO, POLLIN, 0},
                        {ends.interrupted, POLLIN, 0},
                        {ends.unwanted, POLLIN, 0},
                        {ends.continued, POLLIN, 0}};
        if (::poll(any, 4, milliseconds_until(ends.deadline)) < 0) {  // poll() skips descriptors of -1
            if (errno != EINTR) refuse_input(errno);
            continue;  // poll() has not set revents
        }
        if (any[1].revents || any[2].revents) throw Error(Code::cancelled, "cancelled while waiting for input");
        if (ends.deadline && InputLines::SteadyClock::now() >= *ends.deadline)
            throw Error(Code::timed_out, "no input came in time");
        if (any[3].revents) {
            ends.on_continued();
            continue;
        }
        if (!any[0].revents) continue;
        const auto n = ::read(STDIN_FILENO, buffer, size);
        if (n >= 0) return static_cast<std::size_t>(n);
        if (errno == EIO && ::isatty(STDIN_FILENO)) return 0;  // the terminal has been closed
        if (errno != EINTR && errno != EAGAIN) refuse_input(errno);
    }
}
}

struct InputLines::Editor {
    EditLine* line;
    ::History* history;  // libedit's
    std::string prompt;
    WaitEnds ends;  // the current line's
    Escapes escapes;
    std::wstring keys;          // the editor's next input
    bool has_escapes = false;   // false in vi mode, where escape is a command, and within a paste
    bool marks_pastes = false;  // the terminal can mark the ends of a paste
    std::exception_ptr ended;   // reason of a read without a character; cannot be thrown through C
    Editor() {
        line = ::el_init("weft", stdin, stderr, stderr);
        history = ::history_init();
        if (!line || !history)
            throw Error(Code::configuration, "this terminal cannot be used: give the questions by a pipe");
        HistEvent event;
        ::history(history, &event, H_SETSIZE, 1000);
        ::history(history, &event, H_SETUNIQUE, 1);
        ::el_set(line, EL_CLIENTDATA, this);
        ::el_set(
            line, EL_PROMPT, +[](EditLine* el) -> char* {
                Editor* self = nullptr;
                ::el_get(el, EL_CLIENTDATA, &self);
                return self->prompt.data();
            });
        ::el_set(line, EL_GETCFN, read_character);  // libedit's own does not notice signals
        ::el_set(line, EL_EDITOR, "emacs");
        ::el_set(line, EL_HIST, ::history, history);
        ::el_source(line, nullptr);  // ~/.editrc
        const char* editor = nullptr;
        ::el_get(line, EL_EDITOR, &editor);
        has_escapes = editor && std::strcmp(editor, "emacs") == 0;
        if (!has_escapes) return;
        ::el_set(line, EL_BIND, "\\e[3~", "ed-delete-next-char", nullptr);
        if (!understands_pastes()) return;
        // Its sister el_set() copies both texts and never frees them.
        ::el_wset(line, EL_ADDFN, L"weft-paste", L"Insert what is pasted as one line", take_paste);
        marks_pastes = ::el_set(line, EL_BIND, paste_begins, "weft-paste", nullptr) == 0;
    }
    /// Reads a typed line; meanwhile the terminal marks pasted text.
    const char* read(int& length) {
        escapes = {};
        keys.clear();
        if (marks_pastes) {
            Interrupts::leave_with(end_pastes);
            tell(begin_pastes);
        }
        const char* text = ::el_gets(line, &length);
        if (marks_pastes) {
            tell(end_pastes);
            Interrupts::leave_with(nullptr);
        }
        return text;
    }
    static unsigned char take_paste(EditLine* el, wint_t) {
        Editor* self = nullptr;
        ::el_get(el, EL_CLIENTDATA, &self);
        self->has_escapes = false;
        std::wstring text;
        std::size_t matched = 0;  // characters of the end mark
        for (wchar_t c = 0; matched < paste_ends.size() && ::el_wgetc(el, &c) == 1;) {
            if (c == paste_ends[matched]) {
                ++matched;
                continue;
            }
            for (const wchar_t seen : paste_ends.substr(0, std::exchange(matched, 0))) add_pasted(text, seen);
            if (c == paste_ends.front()) matched = 1;
            else add_pasted(text, c);
        }
        self->has_escapes = true;
        if (!text.empty() && text.back() == L' ') text.pop_back();
        if (!text.empty()) ::el_winsertstr(el, text.c_str());
        return CC_REFRESH;  // the next read sees the end of the input again
    }
    /// Called when the process continues after a stop: another program may have changed the terminal's mode meanwhile.
    void draw_again() {
        ::el_wset(line, EL_PREP_TERM, 0);  // else libedit believes that its mode is set
        ::el_wset(line, EL_PREP_TERM, 1);
        if (marks_pastes) tell(begin_pastes);
        ::el_wset(line, EL_REFRESH);
    }
    /// Returns 1 for a character, 0 at the end of the input, -1 after an interruption.
    static int read_character(EditLine* el, wchar_t* character) {
        Editor* self = nullptr;
        ::el_get(el, EL_CLIENTDATA, &self);
        while (self->keys.empty()) {
            wchar_t read = 0;
            if (const int got = self->read_typed(read); got != 1) return got;
            if (self->has_escapes) self->keys = self->escapes.pass(read);
            else self->keys = read;
        }
        *character = self->keys.front();
        self->keys.erase(0, 1);
        return 1;
    }
    int read_typed(wchar_t& character) {
        std::mbstate_t state{};
        for (char byte = 0;;) {
            try {
                if (read_some(&byte, 1, ends) == 0) return 0;
            } catch (const Error&) {
                ended = std::current_exception();
                return -1;
            }
            const auto length = std::mbrtowc(&character, &byte, 1, &state);
            if (length == static_cast<std::size_t>(-2)) continue;  // the character has more bytes
            if (length == static_cast<std::size_t>(-1)) character = L'?';
            return 1;
        }
    }
    ~Editor() {
        if (history) ::history_end(history);
        if (line) ::el_end(line);
    }
};

InputLines::InputLines(Interrupts& interrupts)
    : interrupts_(interrupts), terminal_(::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO)) {
    if (terminal_ && reads_characters()) editor_ = std::make_unique<Editor>();  // else the kernel edits the line
}
InputLines::~InputLines() = default;

std::optional<std::string> InputLines::next(const std::string& prompt, const WaitOptions& wait) {
    if (editor_) return edited(prompt, wait);
    if (terminal_) tell(prompt);
    return plain(wait);
}

std::optional<std::string> InputLines::edited(const std::string& prompt, const WaitOptions& wait) {
    const auto continued = [this] {
        interrupts_.forget_continued();
        editor_->draw_again();
    };
    editor_->ends = {interrupts_.descriptor(), wait.unwanted, wait.deadline, interrupts_.continued(), continued};
    interrupts_.forget_continued();
    for (;;) {
        editor_->prompt = prompt;
        if (!wait.begun.empty()) ::el_push(editor_->line, wait.begun.c_str());
        int length = 0;
        errno = 0;
        const char* text = editor_->read(length);
        if (const auto ended = std::exchange(editor_->ended, nullptr)) {  // drops the typed characters
            tell("\n");
            if (!wait.ctrl_c_drops || !interrupts_.seen() || interrupts_.terminated()) std::rethrow_exception(ended);
            interrupts_.forget();
            continue;
        }
        if (!text || length <= 0) {  // Ctrl-D
            tell("\n");
            return std::nullopt;
        }
        std::string line(text, static_cast<std::size_t>(length));
        if (line.size() > longest) throw Error(Code::usage, "a line has at most a megabyte");
        HistEvent event;
        if (!is_blank(line)) ::history(editor_->history, &event, H_ENTER, line.c_str());
        while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
        return line;
    }
}
bool InputLines::fill(const WaitOptions& wait) {
    if (ended_) return false;
    read_.erase(0, begin_);
    begin_ = 0;
    char buffer[16 << 10];
    const auto n = read_some(buffer, sizeof buffer, {interrupts_.descriptor(), wait.unwanted, wait.deadline, -1, {}});
    read_.append(buffer, n);
    ended_ = n == 0;
    return n > 0;
}
std::optional<std::string> InputLines::plain(const WaitOptions& wait) {
    bool dropped = false;
    for (std::size_t looked = begin_;;) {
        const auto end = read_.find('\n', looked);
        if (end == read_.npos) {
            if (read_.size() - begin_ > longest) {  // read to its end, without keeping it
                dropped = true;
                begin_ = read_.size();
            }
            looked = read_.size() - begin_;  // fill() moves the unread bytes to the start
            try {
                if (fill(wait)) continue;
            } catch (const Error&) {
                drops_rest_ |= dropped || !read_.empty();
                throw;
            }
            if (begin_ == read_.size() && !dropped) return std::nullopt;
        }
        auto line = read_.substr(begin_, std::min(end, read_.size()) - begin_);
        begin_ = std::min(end == read_.npos ? end : end + 1, read_.size());
        if (std::exchange(drops_rest_, false)) {
            looked = begin_;
            dropped = false;
            continue;
        }
        if (dropped || line.size() > longest)
            throw Error(Code::usage, "a line of standard input is longer than a megabyte");
        if (!line.empty() && line.back() == '\r') line.pop_back();
        return line;
    }
}
void InputLines::drop_typed() {
    if (terminal_) ::tcflush(STDIN_FILENO, TCIFLUSH);
}

std::optional<std::string> read_all(std::size_t limit) {
    std::string text;
    char buffer[16 << 10];
    while (const auto n = read_some(buffer, sizeof buffer, {})) {
        text.append(buffer, n);
        if (text.size() > limit) return std::nullopt;
    }
    return text;
}
}
