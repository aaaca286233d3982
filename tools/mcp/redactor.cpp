// The secret is looked for as it is, and behind the word that stands before it in a header.
#include "tools/mcp/redactor.hpp"
#include "engine/text.hpp"
#include <algorithm>

namespace weft::tools::mcp {
Redactor::Redactor(std::vector<std::string> secrets) {
    constexpr std::size_t shortest_secret = 8;
    for (auto& secret : secrets) {
        for (const std::string_view scheme : {"bearer ", "basic ", "token "})
            if (lower(std::string_view(secret).substr(0, scheme.size())) == scheme)
                secret = std::string(trimmed(std::string_view(secret).substr(scheme.size())));
        if (secret.size() >= shortest_secret) secrets_.push_back(std::move(secret));
    }
    std::ranges::sort(secrets_, [](const auto& a, const auto& b) { return a.size() > b.size(); });
}
void Redactor::clean(std::string& text) const {
    for (const auto& secret : secrets_)
        for (auto at = text.find(secret); at != text.npos; at = text.find(secret, at + 3))
            text.replace(at, secret.size(), "***");
}
bool holds_secret(std::string_view header) {
    const auto name = lower(header);
    for (const char* part : {"auth", "cookie", "key", "token", "secret", "password", "session"})
        if (name.find(part) != name.npos) return true;
    return false;
}
}
