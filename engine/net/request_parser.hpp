// Parses HTTP requests: Beast's parser behind a small interface, and stricter. Internal to engine/net.
//
//     RequestParser parser(limits);
//     parser.feed(bytes);                    // throws Refused
//     if (parser.has_head() && parser.expects_continue()) ...
//     if (parser.done()) use(parser.take());
//
// A head that two programs could read in two ways is refused: length and chunks at once, lines that end with a bare LF
// or CR, folded lines, two hosts or none, control characters.
#pragma once
#include "engine/net/http_server.hpp"
#include <stdexcept>

namespace weft::net {
/// What a client is answered before its connection is closed.
struct Refused : std::runtime_error {
    Refused(unsigned s, const std::string& detail) : std::runtime_error(detail), status(s) {}
    unsigned status;
};
class RequestParser {
public:
    RequestParser(std::size_t header_limit, std::size_t body_limit);
    ~RequestParser();
    /// Bytes after the end of the request are kept as extra, and not read.
    void feed(std::string_view bytes);
    bool started() const { return started_; }
    bool has_head() const;
    bool done() const;
    bool has_extra() const { return has_extra_; }
    bool expects_continue() const { return expects_continue_; }
    bool keep_alive() const;   // by the head
    unsigned version() const;  // 10 or 11
    std::size_t body_bytes() const;
    IncomingRequest& request();
    IncomingRequest take_what_is_known();  // of a request that was refused
    /// For the next request.
    void reset();

private:
    struct Beast;
    void feed_head(std::string_view& bytes);
    void feed_body(std::string_view bytes);
    void check_head();
    void take_authority();
    std::unique_ptr<Beast> beast_;
    const std::size_t header_limit_, body_limit_;
    std::string pending_;  // of the head, or of an element of the body that is not whole
    std::size_t scanned_ = 0;
    bool started_ = false, has_extra_ = false, expects_continue_ = false;
};
}
