// A sealed text has three parts with dots between: seconds since 1970, the state in base 16, and the HMAC of both and
// the purpose. Lengths precede the hashed parts, so that different inputs have different texts.
#include "workflows/mcp/seal.hpp"
#include "engine/error.hpp"
#include "workflows/server/guard/guard.hpp"
#include <boost/algorithm/hex.hpp>
#include <charconv>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

namespace weft::mcp_server {
namespace {
constexpr std::size_t longest_sealed = 64 << 10;

std::int64_t seconds_of(WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}
}

StateSeal::StateSeal() {
    if (::getrandom(key_.data(), key_.size(), 0) != ssize_t(key_.size()))
        throw Error(Code::configuration, "the system returned no random numbers, so the server cannot seal states");
}
std::string StateSeal::mark(std::string_view sealed, std::string_view purpose) const {
    const auto text = std::to_string(sealed.size()) + ':' + std::string(sealed) + std::string(purpose);
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (!HMAC(EVP_sha256(), key_.data(), int(key_.size()), reinterpret_cast<const unsigned char*>(text.data()),
              text.size(), bytes, &size))
        throw Error(Code::configuration, "OpenSSL cannot compute an HMAC of SHA-256 here");
    return boost::algorithm::hex_lower(std::string(bytes, bytes + size));
}
std::string StateSeal::close(std::string_view state, std::string_view purpose, WallTime until) const {
    const auto sealed = std::to_string(seconds_of(until)) + '.' + boost::algorithm::hex_lower(std::string(state));
    return sealed + '.' + mark(sealed, purpose);
}
std::optional<std::string> StateSeal::open(std::string_view text, std::string_view purpose, WallTime now) const {
    if (text.size() > longest_sealed) return {};
    const auto last = text.rfind('.');
    if (last == text.npos) return {};
    const auto sealed = text.substr(0, last);
    if (!server::equal_in_constant_time(mark(sealed, purpose), text.substr(last + 1))) return {};
    const auto dot = sealed.find('.');
    std::int64_t until = 0;
    if (dot == sealed.npos || std::from_chars(sealed.data(), sealed.data() + dot, until).ptr != sealed.data() + dot ||
        until < seconds_of(now))
        return {};
    return boost::algorithm::unhex(std::string(sealed.substr(dot + 1)));  // only this seal can have written it
}
}
