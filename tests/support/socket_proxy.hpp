// A proxy between a client and a server on Unix sockets, which loses bytes of the server: so a call takes effect, and
// its answer is lost. It also loses the end of a client's transaction.
//
//     SocketProxy proxy(server.socket());
//     connect_to(proxy.folder());                   // the socket in it has the server's name
//     proxy.lose_after(100);                        // cuts a connection after so many bytes of the server
//
// A thread forwards all bytes of clients to the server.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

class SocketProxy {
public:
    explicit SocketProxy(std::string server);
    SocketProxy(const SocketProxy&) = delete;
    SocketProxy& operator=(const SocketProxy&) = delete;
    ~SocketProxy();
    const std::string& folder() const { return folder_; }
    void lose_after(std::int64_t bytes) { left_ = bytes; }
    void be_silent(bool is_silent) { silent_ = is_silent; }  // true: bytes of the server wait
    /// true: loses each message of a client that ends a transaction (PostgreSQL's Sync). The server waits for it.
    void lose_syncs(bool loses) { loses_syncs_ = loses; }
    std::int64_t passed() const { return passed_; }  // bytes of the server so far
    std::int64_t asked() const { return asked_; }    // bytes of clients so far
    int cuts() const { return cuts_; }

private:
    void work();
    std::string server_, folder_;
    int listener_ = -1, stop_ = -1;
    std::atomic<std::int64_t> left_{-1}, passed_{0}, asked_{0};  // `left_` < 0: no limit
    std::atomic<int> cuts_{0};
    std::atomic<bool> silent_{false}, loses_syncs_{false};
    std::thread thread_;
};
