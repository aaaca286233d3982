// Searches each secret as it is, without the scheme word before it in a header, and in its escaped forms.
#include "tools/mcp/client/redactor.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/mask.hpp"
#include "engine/text/percent_encoding.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <sstream>

namespace weft::tools::mcp {
namespace {
std::string in_json(const std::string& text) {
    const auto quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return quoted.substr(1, quoted.size() - 2);
}
/// Whether bare() may change the text. Most texts are plain, and need no copy.
bool may_hide(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c >= 0x80 || is_hidden(c); });
}
std::string with_escaped_slashes(std::string text) {
    for (auto at = text.find('/'); at != text.npos; at = text.find('/', at + 2)) text.insert(at, "\\");
    return text;
}
}

ServerRedactor::ServerRedactor(std::vector<std::string> secrets) {
    constexpr std::size_t shortest_secret = 6, shortest_line = 12;  // lines are read one by one
    for (std::size_t i = 0, given = secrets.size(); i < given; ++i) {
        if (secrets[i].find('\n') == std::string::npos) continue;
        std::istringstream lines(secrets[i]);
        for (std::string line; std::getline(lines, line);)
            if (line = trimmed(line); line.size() >= shortest_line) secrets.push_back(line);
    }
    for (auto& secret : secrets) {
        for (const std::string_view scheme : {"bearer ", "basic ", "token "})
            if (lower(std::string_view(secret).substr(0, scheme.size())) == scheme)
                secret = std::string(trimmed(std::string_view(secret).substr(scheme.size())));
        if (secret.size() < shortest_secret) continue;
        auto as_json = in_json(secret);
        secrets_.push_back(with_escaped_slashes(as_json));
        secrets_.push_back(std::move(as_json));
        secrets_.push_back(percent_encoded(secret));
        secrets_.push_back(std::move(secret));
    }
    std::ranges::sort(secrets_,
                      [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
    secrets_.erase(std::unique(secrets_.begin(), secrets_.end()), secrets_.end());
}
void ServerRedactor::clean(std::string& text) const {
    if (secrets_.empty()) return;
    // Characters without width are removed before people see the text; this would join the parts of a secret.
    if (may_hide(text))
        if (auto visible = bare(text); holds_any(visible, secrets_)) text = std::move(visible);
    mask(text, secrets_);
}
bool ServerRedactor::finds_any(std::string_view text) const {
    return holds_any(text, secrets_) || (may_hide(text) && holds_any(bare(text), secrets_));
}
void ServerRedactor::clean(nlohmann::json& value) const {
    if (secrets_.empty()) return;
    if (auto* text = value.get_ptr<std::string*>()) return clean(*text);
    if (value.is_structured())
        for (auto& inner : value) clean(inner);
    if (!value.is_object()) return;
    auto& members = value.get_ref<nlohmann::json::object_t&>();
    for (auto at = members.begin(); at != members.end();) {
        if (!finds_any(at->first)) {
            ++at;
            continue;
        }
        auto member = members.extract(at++);
        clean(member.key());
        members.insert(std::move(member));
    }
}
void ServerRedactor::clean(RpcMessage& message) const {
    if (secrets_.empty()) return;
    if (auto* response = std::get_if<Response>(&message)) {
        if (auto* result = std::get_if<nlohmann::json>(&response->outcome)) return clean(*result);
        auto& error = std::get<RpcError>(response->outcome);
        clean(error.message);
        return clean(error.data);
    }
    if (auto* request = std::get_if<Request>(&message)) return clean(request->params);
    clean(std::get<Notification>(message).params);
}
bool holds_secret(const net::HttpHeaders& headers) {
    return std::ranges::any_of(headers, [](const net::HttpHeader& header) { return holds_secret(header.name); });
}
bool holds_secret(std::string_view header) {
    auto name = lower(header);
    for (const char* part : {"auth", "cookie", "key", "token", "secret", "pass", "credential", "session"})
        if (name.find(part) != name.npos) return true;
    name.erase(0, name.find_first_not_of("-_"));
    return name == "pat" || name == "pw" || name == "pwd" || name.ends_with("_pat") || name.ends_with("-pat");
}
}
