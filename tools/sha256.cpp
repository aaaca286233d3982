// Uses OpenSSL.
#include "tools/sha256.hpp"
#include "engine/error.hpp"
#include <boost/algorithm/hex.hpp>
#include <openssl/evp.h>

namespace weft::tools {
std::string sha256(std::string_view text) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) != 1)
        throw Error(Code::configuration, "the description of a tool cannot be digested");
    return boost::algorithm::hex_lower(std::string(digest, digest + size));
}
}
