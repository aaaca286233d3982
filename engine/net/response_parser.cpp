// Beast needs each element in one piece, so the rest of the bytes is kept, within bounds. Each interim answer (1xx)
// needs a new parser.
#include "engine/net/response_parser.hpp"
#include "engine/net/net_error.hpp"
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/version.hpp>

namespace weft::net {
namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

struct ResponseParser::BeastResponseParser final : http::basic_parser<false> {
    unsigned status = 0;
    HttpHeaders headers;
    std::string* body = nullptr;  // the current call's
    bool in_head = true;

    void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
    void on_response_impl(int code, string_view, int, error_code&) override { status = static_cast<unsigned>(code); }
    // A trailer behind a chunked body is not a header (RFC 9110, 6.5.1): it comes too late for reading the body.
    void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
        if (in_head)
            headers.push_back({std::string(name.data(), name.size()), std::string(value.data(), value.size())});
    }
#if BOOST_BEAST_VERSION >= 359  // Boost 1.90
    void on_trailer_field_impl(http::field, string_view, string_view, error_code&) override {}
#endif
    void on_header_impl(error_code&) override { in_head = false; }
    void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
    std::size_t on_body_impl(string_view piece, error_code&) override {
        body->append(piece.data(), piece.size());
        return piece.size();
    }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view piece, error_code&) override {
        body->append(piece.data(), piece.size());
        return piece.size();
    }
    void on_finish_impl(error_code&) override {}
};

namespace {
// The cuts of the bytes move Beast's own limit by some bytes.
constexpr std::size_t beast_margin = 16;

[[noreturn]] void throw_unreadable(const error_code& error) {
    if (error == http::error::body_limit || error == http::error::header_limit || error == http::error::buffer_overflow)
        throw NetError(Failure::too_large, "the server's answer is too large (" + error.message() + ")");
    if (error == http::error::partial_message || error == http::error::end_of_stream)
        throw NetError(Failure::truncated, "the server's answer broke off");
    throw NetError(Failure::protocol, "the server's answer is not readable HTTP (" + error.message() + ")");
}
}

ResponseParser::ResponseParser(std::size_t header_limit, std::size_t body_limit, bool head_only)
    : header_limit_(header_limit), body_limit_(body_limit), head_only_(head_only) {
    renew();
}
ResponseParser::~ResponseParser() = default;
void ResponseParser::renew() {
    beast_ = std::make_unique<BeastResponseParser>();
    beast_->header_limit(static_cast<std::uint32_t>(header_limit_ + beast_margin));
    beast_->body_limit(body_limit_);
    beast_->skip(head_only_);
    head_ = 0;
}
void ResponseParser::feed(std::string_view bytes, std::string& body) {
    started_ = started_ || !bytes.empty();
    const bool whole = pending_.empty();  // the bytes are parsed in place
    if (!whole) pending_ += bytes;
#if BOOST_BEAST_VERSION < 356  // before Boost 1.87; later ones take the last chunk in parts, and may wait for two bytes
    // Beast asserts at least five bytes when it checks the last chunk again; no chunk is shorter.
    if (!whole && beast_->is_header_done() && pending_.size() < 5) return;
#endif
    std::string_view rest = whole ? bytes : std::string_view(pending_);
    beast_->body = &body;
    while (!rest.empty() && !beast_->is_done()) {
        error_code error;
        const bool in_head = !beast_->is_header_done();
        const auto used = beast_->put(boost::asio::const_buffer(rest.data(), rest.size()), error);
        rest.remove_prefix(used);
        if (error && error != http::error::need_more) throw_unreadable(error);
        if (in_head) {  // without eager(), the call ends with the head
            head_ += used;
            const auto unread = beast_->is_header_done() ? 0 : rest.size();
            if (head_ + unread > header_limit_) throw_unreadable(http::error::header_limit);
            beast_->eager(beast_->is_header_done());
        }
        if (beast_->is_done() && beast_->status / 100 == 1 && beast_->status != 101) {
            if (++interim_ > 8) throw NetError(Failure::protocol, "the server sends interim answers endlessly");
            renew();
            beast_->body = &body;
        } else if (error || used == 0) {
            break;
        }
    }
    if (rest.size() > header_limit_ + 16384)  // an endless chunk extension or trailer
        throw NetError(Failure::too_large, "the server's answer has an element that is too large");
    if (whole || rest.size() < pending_.size()) pending_ = std::string(rest);
}
void ResponseParser::finish() {
    if (!beast_->got_some()) throw_unreadable(http::error::partial_message);  // Beast asserts this
    error_code error;
    if (!beast_->is_done()) beast_->put_eof(error);
    if (error || !beast_->is_done()) throw_unreadable(error ? error : http::error::partial_message);
}
bool ResponseParser::has_header() const { return beast_->is_header_done(); }
bool ResponseParser::done() const { return beast_->is_done(); }
bool ResponseParser::may_keep_alive() const { return beast_->is_done() && beast_->keep_alive() && pending_.empty(); }
unsigned ResponseParser::status() const { return beast_->status; }
const HttpHeaders& ResponseParser::headers() const { return beast_->headers; }
}
