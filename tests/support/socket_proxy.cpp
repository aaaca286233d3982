// Forwards bytes immediately by blocking sockets, because a test's messages are small.
#include "tests/support/socket_proxy.hpp"
#include <algorithm>
#include <filesystem>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {
int unix_socket(const std::string& path, bool listens) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto* address = reinterpret_cast<const sockaddr*>(&name);
    if (listens ? ::bind(fd, address, sizeof name) == 0 && ::listen(fd, 64) == 0
                : ::connect(fd, address, sizeof name) == 0)
        return fd;
    ::close(fd);
    return -1;
}
bool write_all(int fd, const char* data, std::int64_t size) {
    while (size > 0) {
        const auto done = ::send(fd, data, std::size_t(size), MSG_NOSIGNAL);
        if (done <= 0) return false;
        data += done;
        size -= done;
    }
    return true;
}
}
SocketProxy::SocketProxy(std::string server) : server_(std::move(server)) {
    auto name = (std::filesystem::temp_directory_path() / "weft_proxy_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    listener_ = unix_socket(folder_ + "/" + std::filesystem::path(server_).filename().string(), true);
    stop_ = ::eventfd(0, EFD_CLOEXEC);
    if (listener_ < 0 || stop_ < 0) throw std::runtime_error("no socket for a proxy");
    thread_ = std::thread([this] { work(); });
}
SocketProxy::~SocketProxy() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);
    thread_.join();
    ::close(listener_);
    ::close(stop_);
    std::filesystem::remove_all(folder_);
}
void SocketProxy::work() {
    std::vector<std::pair<int, int>> pairs;  // the client's socket and the server's
    std::vector<char> bytes(64 << 10);
    const auto close = [&](std::size_t i) {
        ::close(pairs[i].first);
        ::close(pairs[i].second);
        pairs.erase(pairs.begin() + long(i));
    };
    for (;;) {
        std::vector<pollfd> what{{.fd = stop_, .events = POLLIN, .revents = 0},
                                 {.fd = listener_, .events = POLLIN, .revents = 0}};
        const bool is_silent = silent_;
        for (auto [client, server] : pairs) {
            what.push_back({.fd = client, .events = POLLIN, .revents = 0});
            what.push_back({.fd = is_silent ? -1 : server, .events = POLLIN, .revents = 0});
        }
        ::poll(what.data(), what.size(), 5);  // checks for silence every 5 ms
        if (what[0].revents != 0) break;
        for (std::size_t i = pairs.size(); i-- > 0;) {
            if (what[2 + 2 * i].revents != 0) {
                auto size = ::read(pairs[i].first, bytes.data(), bytes.size());
                if (size > 0) asked_ += size;
                constexpr std::string_view sync("S\0\0\0\4", 5);
                if (loses_syncs_ && size > 0 && std::string_view(bytes.data(), std::size_t(size)).ends_with(sync))
                    size -= long(sync.size());
                if (size <= 0 || !write_all(pairs[i].second, bytes.data(), size)) {
                    close(i);
                    continue;
                }
            }
            if (what[3 + 2 * i].revents == 0) continue;
            const auto size = ::read(pairs[i].second, bytes.data(), bytes.size());
            const auto left = left_.load();
            const bool is_cut = left >= 0 && size > left;
            const auto passes = is_cut ? left : size;
            if (left >= 0) left_ = is_cut ? -1 : left - size;
            cuts_ += is_cut;
            if (size > 0) passed_ += passes;
            if (size <= 0 || !write_all(pairs[i].first, bytes.data(), passes) || is_cut) close(i);
        }
        if (what[1].revents != 0) {
            const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            const int server = unix_socket(server_, false);
            pairs.emplace_back(client, server);
            if (server < 0) close(pairs.size() - 1);
        }
    }
    while (!pairs.empty()) close(pairs.size() - 1);
}
