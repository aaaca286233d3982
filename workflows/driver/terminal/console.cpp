// Writes by write(2), not by a stream: only write(2) distinguishes a broken pipe, a non-blocking output and a closed
// descriptor.
#include "workflows/driver/terminal/console.hpp"
#include "steps/view/neutralise.hpp"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace weft::driver {
namespace {
/// Returns 0, or the value of errno.
int write_all(int stream, std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(stream, text.data(), text.size());
        if (n >= 0) text.remove_prefix(static_cast<std::size_t>(n));
        else if (errno == EAGAIN) {  // another process that shares the stream has made it non-blocking
            pollfd ready{stream, POLLOUT, 0};
            ::poll(&ready, 1, -1);
        } else if (errno != EINTR) return errno;
    }
    return 0;
}
}

void say_trusted(std::string_view text) {
    const int error = write_all(STDOUT_FILENO, text);
    if (error == EPIPE) throw OutputError("");
    if (error) throw OutputError(std::string("standard output cannot be written to: ") + std::strerror(error));
}
void say(std::string_view text) { say_trusted(view::neutralise(text) + '\n'); }
void say_in_one_line(std::string_view text) { say_trusted(in_one_line(text) + '\n'); }
void say_json(const nlohmann::json& value) { say_trusted(ascii(value) + '\n'); }
void tell(std::string_view safe) { write_all(STDERR_FILENO, safe); }
void complain(std::string_view sentence) { tell("weft: " + in_one_line(sentence) + '\n'); }
void note(std::string_view sentence) { complain(sentence); }

std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : view::neutralise(text)) {
        if (c != '\n') line += c;
        else if (!line.empty() && line.back() != ' ') line += ' ';
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}
std::string ascii(const nlohmann::json& value) {
    return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::size_t columns_of_output() {
    constexpr std::size_t usual = 80, least = 40, most = 200;
    winsize size{};
    std::size_t columns = 0;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    const char* told = std::getenv("COLUMNS");
    if (columns == 0 && told) columns = std::size_t(std::strtoul(told, nullptr, 10));
    return columns == 0 ? usual : std::clamp(columns, least, most);
}
bool wants_colour(int stream) {
    const char* off = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return ::isatty(stream) && !(off && *off) && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

void prepare_streams() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit gives a write error, as a full disk does
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        // Read-only for output: a write fails, as to a closed stream.
        if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
}
