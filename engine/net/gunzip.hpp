// Bodies that a server has compressed, unpacked as they arrive. Internal to engine/net.
//
//     auto unpack = Gunzip::for_encoding("gzip", limit);   // null: no encoding that needs it
//     unpack->feed(bytes, text);                           // appends all that these bytes give
//     unpack->finish();                                    // the body has ended; so must the compressed data
//
// gzip (several members too), x-gzip and deflate, with or without the header that servers forget. What a server has
// flushed comes out at once. Throws NetError: protocol for broken data, data after the end and other encodings;
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
    std::string head_;  // of deflate: two bytes tell which of its two forms it is
    bool begun_ = false, inside_ = false;
};
}
