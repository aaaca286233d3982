// The head is collected and checked before Beast parses it, because Beast accepts folded lines and other ambiguous
// forms. The body goes to Beast as it comes; Beast needs the head of a chunk in one piece.
#include "engine/net/request_parser.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <boost/asio/ip/address_v6.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/version.hpp>

namespace weft::net {
namespace {
namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;
constexpr std::size_t most_fields = 100;
constexpr std::size_t longest_element = 16 << 10;  // a chunk's head with extensions, or the trailer

[[noreturn]] void refuse_unreadable(const error_code& error) {
    if (error == http::error::body_limit) throw RefusedRequest(413, "the body is longer than this server takes");
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
        throw RefusedRequest(431, "the head is longer than this server takes");
    if (error == http::error::bad_version) throw RefusedRequest(505, "this server speaks HTTP/1.1 and HTTP/1.0");
    throw RefusedRequest(400, "this is not a readable HTTP request (" + error.message() + ")");
}
/// Checks lines that end with CRLF. Programs have read each of these forms differently, which attackers used.
void check_lines(std::string_view head) {
    for (std::size_t i = 0; i < head.size(); ++i) {
        const auto c = static_cast<unsigned char>(head[i]);
        if (c == '\r') {
            if (i + 1 == head.size() || head[i + 1] != '\n')
                throw RefusedRequest(400, "the head has a CR without an LF");
            ++i;
            if (i + 1 < head.size() && (head[i + 1] == ' ' || head[i + 1] == '\t'))
                throw RefusedRequest(400, "the head has a folded line");
        } else if ((c < 0x20 && c != '\t') || c == 0x7f) {
            throw RefusedRequest(400, "the head has a control character");
        }
    }
}
bool is_port(std::string_view text) {
    return text.size() <= 5 && text.find_first_not_of("0123456789") == text.npos &&
           (text.empty() || std::stoul(std::string(text)) <= 65535);
}
/// True for a name or an address with an optional port. Another program might read anything else as another host.
bool is_authority(std::string_view text) {
    constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    const bool is_v6 = text.starts_with('[');
    const auto end = is_v6 ? text.find(']') : std::min(text.find(':'), text.size());
    if (end == text.npos) return false;
    const auto name = text.substr(is_v6 ? 1 : 0, is_v6 ? end - 1 : end), port = text.substr(is_v6 ? end + 1 : end);
    if (!port.empty() && (port[0] != ':' || !is_port(port.substr(1)))) return false;
    if (!is_v6) return name.find_first_not_of(of_names) == name.npos && (!name.empty() || port.empty());
    error_code error;
    boost::asio::ip::make_address_v6(std::string(name), error);
    return !error && name.find('%') == name.npos;
}
}

struct RequestParser::BeastRequestParser final : http::basic_parser<true> {
    IncomingRequest request;
    unsigned version = 11;
    std::size_t hosts = 0, lengths = 0, codings = 0;
    bool in_head = true;
    BeastRequestParser(std::size_t header, std::size_t body) {
        header_limit(static_cast<std::uint32_t>(header));
        body_limit(body);
        eager(true);
        request.headers.reserve(8);
    }
    void on_request_impl(http::verb, string_view method, string_view target, int v, error_code&) override {
        request.method.assign(method.data(), method.size());
        request.target.assign(target.data(), target.size());
        version = static_cast<unsigned>(v);
    }
    void on_response_impl(int, string_view, int, error_code&) override {}
    void on_field_impl(http::field field, string_view name, string_view value, error_code&) override {
        if (!in_head) return;  // a trailer is not a header: it comes too late to determine how the body is read
        if (request.headers.size() == most_fields)
            throw RefusedRequest(431, "the head has more fields than this server takes");
        hosts += field == http::field::host;
        lengths += field == http::field::content_length;
        codings += field == http::field::transfer_encoding;
        request.headers.push_back({std::string(name.data(), name.size()), std::string(value.data(), value.size())});
    }
#if BOOST_BEAST_VERSION >= 359  // Boost 1.90
    void on_trailer_field_impl(http::field, string_view, string_view, error_code&) override {}
#endif
    void on_header_impl(error_code&) override { in_head = false; }
    void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
    std::size_t on_body_impl(string_view piece, error_code&) override {
        request.body.append(piece.data(), piece.size());
        return piece.size();
    }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view piece, error_code&) override {
        request.body.append(piece.data(), piece.size());
        return piece.size();
    }
    void on_finish_impl(error_code&) override {}
};

RequestParser::RequestParser(std::size_t header_limit, std::size_t body_limit)
    : header_limit_(header_limit), body_limit_(body_limit) {}
RequestParser::~RequestParser() = default;
void RequestParser::reset() {
    beast_.reset();
    pending_ = {};
    scanned_ = 0;
    started_ = has_extra_ = expects_continue_ = false;
}
bool RequestParser::has_head() const { return beast_ && beast_->is_header_done(); }
bool RequestParser::done() const { return beast_ && beast_->is_done(); }
bool RequestParser::keep_alive() const { return beast_->keep_alive(); }
unsigned RequestParser::version() const { return beast_ ? beast_->version : 11; }
std::size_t RequestParser::body_bytes() const { return beast_ ? beast_->request.body.size() + pending_.size() : 0; }
IncomingRequest& RequestParser::request() { return beast_->request; }
IncomingRequest RequestParser::take_what_is_known() { return beast_ ? std::move(beast_->request) : IncomingRequest(); }

void RequestParser::feed(std::string_view bytes) {
    if (!started_)  // skips an empty line before a request (RFC 9112, 2.2)
        bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
    if (bytes.empty()) return;
    started_ = true;
    if (!has_head()) feed_head(bytes);
    if (has_head() && !done()) feed_body(bytes);
    else has_extra_ = has_extra_ || !bytes.empty();
}
/// Removes the head from `bytes`.
void RequestParser::feed_head(std::string_view& bytes) {
    constexpr char handshake = 0x16;  // no method begins so, and no end of a head may follow
    if (pending_.empty() && bytes.front() == handshake)
        throw RefusedRequest(400, "this port serves HTTP without TLS: begin the address with http://");
    pending_ += bytes;
    const auto end = pending_.find("\r\n\r\n", scanned_);
    if (end == pending_.npos) {
        if (pending_.size() > header_limit_) throw RefusedRequest(431, "the head is longer than this server takes");
        if (pending_.find("\n\n", scanned_) != pending_.npos) throw RefusedRequest(400, "the head has bare line ends");
        scanned_ = pending_.size() < 3 ? 0 : pending_.size() - 3;
        bytes = {};
        return;
    }
    const auto size = end + 4;
    if (size > header_limit_) throw RefusedRequest(431, "the head is longer than this server takes");
    const auto head = std::string_view(pending_).substr(0, size);
    check_lines(head);
    beast_ = std::make_unique<BeastRequestParser>(header_limit_, body_limit_);
    error_code error;
    beast_->put(boost::asio::const_buffer(head.data(), head.size()), error);
    if (error && error != http::error::need_more) refuse_unreadable(error);
    if (!beast_->is_header_done()) throw RefusedRequest(400, "this is not a readable HTTP request");
    check_head();
    bytes = bytes.substr(bytes.size() - (pending_.size() - size));
    pending_ = {};
}
void RequestParser::check_head() {
    const auto& request = beast_->request;
    if (beast_->hosts > 1) throw RefusedRequest(400, "the head names two hosts");
    if (beast_->hosts == 0 && beast_->version == 11) throw RefusedRequest(400, "the head names no host");
    if (beast_->lengths > 1) throw RefusedRequest(400, "the head has two lengths");
    if (!is_authority(find_header(request.headers, "Host"))) throw RefusedRequest(400, "the head names no valid host");
    const auto length = find_header(request.headers, "Content-Length");
    if (length.find_first_not_of("0123456789") != length.npos)
        throw RefusedRequest(400, "the length is not a plain number");
    if (beast_->codings && beast_->lengths) throw RefusedRequest(400, "the head has both a length and an encoding");
    if (beast_->codings && beast_->version == 10) throw RefusedRequest(400, "HTTP/1.0 has no Transfer-Encoding");
    if (beast_->codings > 1 ||
        (beast_->codings && !equal_ignoring_case(find_header(request.headers, "Transfer-Encoding"), "chunked")))
        throw RefusedRequest(501, "this server reads no Transfer-Encoding but chunked");
    take_authority();
    const bool whole_server = request.target == "*" && request.method == "OPTIONS";
    if (!request.target.starts_with('/') && !whole_server)
        throw RefusedRequest(400, "the target does not begin with /");
    if (std::ranges::any_of(request.target, [](char c) { return static_cast<signed char>(c) <= 0x20; }))
        throw RefusedRequest(400, "the target has characters that must be written as %XX");
    if (const auto expects = find_header(request.headers, "Expect"); !expects.empty()) {
        if (!equal_ignoring_case(expects, "100-continue"))
            throw RefusedRequest(417, "this server expects nothing but 100-continue");
        expects_continue_ = beast_->version == 11 && !beast_->is_done();
    }
}
/// Handles a whole address as the target, whose authority takes precedence over Host (RFC 9112, 3.2.2).
void RequestParser::take_authority() {
    auto& request = beast_->request;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!request.target.starts_with(scheme)) continue;
        const auto end = std::min(request.target.find_first_of("/?", scheme.size()), request.target.size());
        const auto authority = request.target.substr(scheme.size(), end - scheme.size());
        if (authority.empty() || !is_authority(authority))
            throw RefusedRequest(400, "the target is not an address of this server");
        request.target.erase(0, end);
        if (!request.target.starts_with('/')) request.target.insert(0, "/");
        std::erase_if(request.headers, [](const HttpHeader& h) { return equal_ignoring_case(h.name, "Host"); });
        request.headers.push_back({"Host", authority});
        return;
    }
}
void RequestParser::feed_body(std::string_view bytes) {
    const bool whole = pending_.empty();  // the bytes are parsed in place
    if (!whole) pending_ += bytes;
#if BOOST_BEAST_VERSION < 356  // before Boost 1.87; later ones take the last chunk in parts, and may wait for two bytes
    // Beast asserts at least five bytes when it checks the last chunk again; no chunk is shorter.
    if (!whole && pending_.size() < 5) return;
#endif
    std::string_view rest = whole ? bytes : std::string_view(pending_);
    while (!rest.empty() && !beast_->is_done()) {
        error_code error;
        const auto used = beast_->put(boost::asio::const_buffer(rest.data(), rest.size()), error);
        rest.remove_prefix(used);
        if (error && error != http::error::need_more) refuse_unreadable(error);
        if (error || used == 0) break;
    }
    if (beast_->is_done()) {
        has_extra_ = !rest.empty();
        pending_ = {};
        return;
    }
    if (rest.size() > longest_element) throw RefusedRequest(400, "the body has a chunk whose head is too long");
    if (whole || rest.size() < pending_.size()) pending_ = std::string(rest);
}
}
