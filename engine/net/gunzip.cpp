// "deflate" means zlib's form by the standard, but the raw form on some servers: the first two bytes decide. Sizes are
// checked after each piece, which stops a decompression bomb early.
#include "engine/net/gunzip.hpp"
#include "engine/net/net_error.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <array>
#include <utility>
#include <zlib.h>

namespace weft::net {
namespace {
// No useful text shrinks to a two-hundredth; zeros shrink to a thousandth. Small bodies are harmless, and not checked.
constexpr std::size_t most_swelling = 200, harmless = 1 << 20;
}

struct Gunzip::Zlib {
    z_stream stream{};
    ~Zlib() { inflateEnd(&stream); }
};

Gunzip::Gunzip(Form form, std::size_t limit) : form_(form), limit_(limit) {}
Gunzip::~Gunzip() = default;
std::unique_ptr<Gunzip> Gunzip::for_encoding(std::string_view encoding, std::size_t limit) {
    const auto name = lower(encoding);
    if (name.empty() || name == "identity") return nullptr;
    if (name == "gzip" || name == "x-gzip") return std::make_unique<Gunzip>(Form::gzip, limit);
    if (name == "deflate") return std::make_unique<Gunzip>(Form::deflate, limit);
    throw NetError(Failure::protocol, "the server compressed its answer in an unsupported form");
}

void Gunzip::begin() {
    const auto first = static_cast<unsigned char>(head_[0]), second = static_cast<unsigned char>(head_[1]);
    const bool zlib = (first & 0x0F) == Z_DEFLATED && (first * 256 + second) % 31 == 0;
    const int bits = form_ == Form::gzip ? 16 + MAX_WBITS : zlib ? MAX_WBITS : -MAX_WBITS;
    zlib_ = std::make_unique<Zlib>();
    if (inflateInit2(&zlib_->stream, bits) != Z_OK) throw std::bad_alloc();
    begun_ = inside_ = true;
}
void Gunzip::feed(std::string_view bytes, std::string& text) {
    packed_ += bytes.size();
    if (!begun_) {
        const auto n = std::min(bytes.size(), 2 - head_.size());
        head_ += bytes.substr(0, n);
        bytes.remove_prefix(n);
        if (head_.size() < 2) return;
        begin();
        packed_ -= head_.size();  // feed() counts them again
        feed(std::exchange(head_, {}), text);
    }
    auto& stream = zlib_->stream;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 16 * 1024> out;
    for (bool full = false; stream.avail_in > 0 || full;) {
        if (!inside_) {  // another gzip member
            if (form_ == Form::deflate)
                throw NetError(Failure::protocol, "the server's answer has bytes after its compressed data");
            inflateReset(&stream);
            inside_ = true;
        }
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = out.size();
        const int result = inflate(&stream, Z_SYNC_FLUSH);
        const auto n = out.size() - stream.avail_out;
        full = stream.avail_out == 0;  // more output may be pending
        unpacked_ += n;
        if (unpacked_ > limit_)
            throw NetError(Failure::too_large,
                           "the server's answer unpacks to more than " + std::to_string(limit_) + " bytes");
        if (unpacked_ > harmless && unpacked_ / most_swelling > packed_)
            throw NetError(Failure::too_large, "the server's answer unpacks to more than " +
                                                   std::to_string(most_swelling) + " times its size");
        text.append(out.data(), n);
        if (result == Z_STREAM_END) inside_ = full = false;
        else if (result == Z_BUF_ERROR) break;  // all is read and written
        else if (result != Z_OK) throw NetError(Failure::protocol, "the server's answer has malformed compressed data");
    }
}
void Gunzip::finish() const {
    if (inside_ || !head_.empty())
        throw NetError(Failure::truncated, "the server's answer broke off in the middle of its compressed data");
}
}
