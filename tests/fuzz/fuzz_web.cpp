// Any bytes as pages and links cause no crash and no endless loop, and give valid text, and addresses that are read
// again as the same.
#include "engine/error.hpp"
#include "engine/text/utf8.hpp"
#include "tools/web/html_text.hpp"
#include "tools/web/links.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto text = tools::html_text(bytes);
    if (!is_utf8(text) || text.size() > 3 * size) std::abort();
    try {
        const auto url = tools::follow_link(net::parse_url("https://example.org/a/b?c"), bytes);
        if (net::parse_url(url.text()) != url) std::abort();
    } catch (const Error&) {}
    return 0;
}
