// Parses HTTP responses: Beast's parser behind a small interface, so that nothing else has to compile it. Internal.
//
//     ResponseParser parser(header_limit, body_limit);
//     parser.feed(bytes, body);       // appends what is of the body
//     parser.finish();                // the connection has ended
//
// Both throw NetError: protocol, truncated, too_large. Interim answers (100, 103) are passed over.
#pragma once
#include "engine/net/http_client.hpp"

namespace weft::net {
class ResponseParser {
public:
    /// `head_only`: there is no body, whatever the head says, as after CONNECT.
    ResponseParser(std::size_t header_limit, std::size_t body_limit, bool head_only = false);
    ~ResponseParser();
    void feed(std::string_view bytes, std::string& body);
    void finish();
    bool started() const { return started_; }  // a byte has come
    bool has_header() const;
    bool done() const;
    bool all_used() const { return pending_.empty(); }  // nothing came after it
    /// Once done: nothing came after it, and neither side has asked to close.
    bool may_keep_alive() const;
    unsigned status() const;
    const HttpHeaders& headers() const;

private:
    struct Beast;
    void renew();
    std::size_t header_limit_, body_limit_;
    bool head_only_;
    std::unique_ptr<Beast> beast_;
    std::string pending_;  // the beginning of an element whose end has not come
    int interim_ = 0;
    bool started_ = false;
};
}
