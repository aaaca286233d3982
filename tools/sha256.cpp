// Uses OpenSSL.
#include "tools/sha256.hpp"
#include "engine/error.hpp"
#include <openssl/evp.h>

namespace weft::tools {
std::string sha256(std::string_view text) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) != 1)
        throw Error(Code::configuration, "the description of a tool cannot be digested");
    static constexpr char hex[] = "0123456789abcdef";
    std::string shown;
    for (unsigned i = 0; i < size; ++i) (shown += hex[digest[i] >> 4]) += hex[digest[i] & 15];
    return shown;
}
}
