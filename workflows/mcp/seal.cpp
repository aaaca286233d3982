// A sealed text has three parts with dots between: seconds since 1970, the state in base 16, and the HMAC of both and
// the purpose. Lengths precede the hashed parts, so that different inputs have different texts.
#include "workflows/mcp/seal.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "workflows/server/guard/guard.hpp"
#include <charconv>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

namespace weft::mcp_server {
namespace {
constexpr std::size_t longest_sealed = 64 << 10;

std::string in_hex(std::string_view bytes) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4];
        text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}
std::optional<std::string> from_hex(std::string_view text) {
    const auto value = [](char c) { return is_upper(c) ? -1 : hex_value(c); };
    if (text.size() % 2) return {};
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = value(text[i]), low = value(text[i + 1]);
        if (high < 0 || low < 0) return {};
        bytes += char(high * 16 + low);
    }
    return bytes;
}
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
    return in_hex({reinterpret_cast<const char*>(bytes), size});
}
std::string StateSeal::close(std::string_view state, std::string_view purpose, WallTime until) const {
    const auto sealed = std::to_string(seconds_of(until)) + '.' + in_hex(state);
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
    return from_hex(sealed.substr(dot + 1));
}
std::string digest_of(std::string_view text) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_Digest(text.data(), text.size(), bytes, &size, EVP_sha256(), nullptr);
    return in_hex({reinterpret_cast<const char*>(bytes), size});
}
}
