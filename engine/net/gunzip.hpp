// Unpacks compressed bodies as they arrive. Internal to engine/net.
//
//     auto unpack = Gunzip::for_encoding("gzip", limit);   // null: no compression
//     unpack->feed(bytes, text);                           // appends the unpacked text
//     unpack->finish();                                    // the body's end; throws if data are missing
//
// Supports gzip (also several members), x-gzip and deflate, even without its header, which some servers omit. Flushed
// data come out immediately. Throws NetError: protocol for malformed data, data after the end and other encodings;
// truncated; too_large if the unpacked size exceeds the limit, or the data expand far too much.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace weft::net {
class Gunzip {
public:
    enum class Form { gzip, deflate };
    Gunzip(Form, std::size_t limit);
    ~Gunzip();
    static std::unique_ptr<Gunzip> for_encoding(std::string_view content_encoding, std::size_t limit);
    void feed(std::string_view bytes, std::string& text);
    void finish() const;

private:
    struct Zlib;
    void begin();
    std::unique_ptr<Zlib> zlib_;
    Form form_;
    std::size_t limit_, packed_ = 0, unpacked_ = 0;
    std::string head_;  // two bytes that decide the form of deflate
    bool begun_ = false, inside_ = false;
};
}
