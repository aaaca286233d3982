// The policy names the page's own style and script by their hashes, so no text can run anything else.
#include "steps/view/page_text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/view/neutralise.hpp"
#include <charconv>
#include <openssl/evp.h>

namespace weft::view {
namespace {
/// Returns the hash in the policy's form: SHA-256 in base64.
std::string hash_of(std::string_view text) {
    unsigned char digest[32], letters[48];
    unsigned int size = 0;
    EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr);
    const int length = EVP_EncodeBlock(letters, digest, sizeof digest);
    return "'sha256-" + std::string(letters, letters + length) + "'";
}
}

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (const char c : neutralise(text)) switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
        }
    return out;
}
std::string escaped(std::string_view text, std::size_t bytes) {
    const auto shown = utf8_cut(text, bytes);
    auto out = escaped(shown);
    if (const auto rest = text.size() - shown.size())
        out += "<em class=\"meta\">\n[" + std::to_string(rest) + " more bytes]</em>";
    return out;
}
std::string in_short(double seconds) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, seconds, std::chars_format::fixed, 2).ptr;
    return std::string(text, end) + " s";
}
std::string cache_in_words(const models::Usage& usage) {
    std::string words;
    if (usage.cached_tokens) words = std::to_string(usage.cached_tokens) + " from a cache";
    if (usage.cache_written_tokens)
        words += (words.empty() ? "" : ", ") + std::to_string(usage.cache_written_tokens) +
                 (words.empty() ? " into a cache" : " into it");
    return words.empty() ? words : " (" + words + ')';
}
std::string in_words(const models::Usage& usage) {
    if (!usage.prompt_tokens && !usage.completion_tokens) return {};
    const auto thought = usage.reasoning_tokens ? " (" + std::to_string(usage.reasoning_tokens) + " in thought)" : "";
    return std::to_string(usage.prompt_tokens) + " tokens read" + cache_in_words(usage) + ", " +
           std::to_string(usage.completion_tokens) + " written" + thought;
}
std::string page_policy() {
    return "default-src 'none'; style-src " + hash_of(page_style()) + "; script-src " + hash_of(page_script()) +
           "; base-uri 'none'; form-action 'none'";
}
}
