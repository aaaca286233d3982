// Parses HTTP responses: Beast's parser behind a small interface, so that no other source compiles BeastResponseParser.
// Internal.
//
//     ResponseParser parser(header_limit, body_limit);
//     parser.feed(bytes, body);       // appends the body's part
//     parser.finish();                // the connection has ended
//
// Both throw NetError: protocol, truncated, too_large. Interim answers (100, 103) are skipped.
#pragma once
#include "engine/net/http_client.hpp"

namespace weft::net {
class ResponseParser {
public:
    /// `head_only`: the answer has no body, in spite of its head, as after CONNECT.
    ResponseParser(std::size_t header_limit, std::size_t body_limit, bool head_only = false);
    ~ResponseParser();
    void feed(std::string_view bytes, std::string& body);
    void finish();
    bool started() const { return started_; }  // a byte has arrived
    bool has_header() const;
    bool done() const;
    bool all_used() const { return pending_.empty(); }  // no bytes follow the answer
    /// True if the answer is complete, no bytes follow, and neither side wants to close.
    bool may_keep_alive() const;
    unsigned status() const;
    const HttpHeaders& headers() const;

private:
    struct BeastResponseParser;
    void renew();
    std::size_t header_limit_, body_limit_;
    std::size_t head_ = 0;  // bytes of the present answer's head
    bool head_only_;
    std::unique_ptr<BeastResponseParser> beast_;
    std::string pending_;  // incomplete element
    int interim_ = 0;
    bool started_ = false;
};
}
