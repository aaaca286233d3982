// Parses HTTP requests: Beast's parser behind a small interface, with stricter rules. Internal to engine/net.
//
//     RequestParser parser(limits);
//     parser.feed(bytes);                    // throws RefusedRequest
//     if (parser.has_head() && parser.expects_continue()) ...
//     if (parser.done()) use(parser.take());
//
// Ambiguous heads are refused: both length and chunks, lines that end with a bare LF or CR, folded lines, two hosts or
// none, control characters.
#pragma once
#include "engine/net/http_server.hpp"
#include <stdexcept>

namespace weft::net {
/// The answer to a client's error, before the connection is closed.
struct RefusedRequest : std::runtime_error {
    RefusedRequest(unsigned s, const std::string& detail) : std::runtime_error(detail), status(s) {}
    unsigned status;
};
class RequestParser {
public:
    RequestParser(std::size_t header_limit, std::size_t body_limit);
    ~RequestParser();
    /// Bytes after the end of the request set has_extra(), and are dropped.
    void feed(std::string_view bytes);
    bool started() const { return started_; }
    bool has_head() const;
    bool done() const;
    bool has_extra() const { return has_extra_; }
    bool expects_continue() const { return expects_continue_; }
    bool keep_alive() const;   // according to the head
    unsigned version() const;  // 10 or 11
    std::size_t body_bytes() const;
    IncomingRequest& request();
    IncomingRequest take_what_is_known();  // the known part of a refused request
    /// Prepares for the next request.
    void reset();

private:
    struct BeastRequestParser;
    void feed_head(std::string_view& bytes);
    void feed_body(std::string_view bytes);
    void check_head();
    void take_authority();
    std::unique_ptr<BeastRequestParser> beast_;
    const std::size_t header_limit_, body_limit_;
    std::string pending_;  // incomplete head, or incomplete element of the body
    std::size_t scanned_ = 0;
    bool started_ = false, has_extra_ = false, expects_continue_ = false;
};
}
