// Cuts only one tail, because the remaining path may rightly end like another one.
#include "steps/models/http/address.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "steps/models/pasted.hpp"
#include "steps/models/secret.hpp"
#include <algorithm>

namespace weft::models {
namespace {
bool ends_in_version(std::string_view path) {
    const auto last = path.substr(path.rfind('/') + 1);
    return last.size() >= 2 && last[0] == 'v' && is_digit(last[1]);
}
bool cut(std::string& path, std::string_view tail) {
    if (!path.ends_with(tail)) return false;
    path.resize(path.size() - tail.size());
    return true;
}
void cut_slashes(std::string& path) {
    while (!path.empty() && path.back() == '/') path.pop_back();
}
bool is_azure(const net::Url& url) {
    for (std::string_view domain : {".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"})
        if (url.host.ends_with(domain)) return true;
    return false;
}
bool speaks_openai(const Protocol& protocol) { return std::string_view(protocol.key.name) == "Authorization"; }

std::string with_scheme(std::string text) {
    if (text.find("://") != text.npos) return text;
    if (text.starts_with("//")) text.erase(0, 2);
    const auto authority = text.substr(0, text.find_first_of("/?"));
    const auto colon = authority.find(':', authority.find(']') == authority.npos ? 0 : authority.find(']'));
    const auto host = lower(authority.substr(0, colon)), port = authority.substr(std::min(colon, authority.size()));
    if (host == "http" || host == "https") return text;
    const bool number = !host.empty() && host.find_first_not_of("0123456789.") == host.npos;
    if (port == ":443" || port == ":8443") return "https://" + text;
    if (!port.empty() || number || host == "localhost" || host.starts_with('[')) return "http://" + text;
    return host.find('.') == host.npos ? text : "https://" + text;
}
/// Cuts the path to the part before the endpoints of any protocol. Returns true for an endpoint of Ollama's own API.
bool cut_endpoint(std::string& path, const net::Url& url) {
    if (const auto models = path.rfind("/models/"); models != path.npos && path.find(':', models) != path.npos)
        path.resize(models);
    if (is_azure(url) && path.ends_with("/models")) return false;  // not an endpoint on Azure
    if (path.ends_with("/v1/chat")) cut(path, "/chat");
    for (std::string_view tail :
         {"/chat/completions", "/completions", "/responses", "/messages", "/embeddings", "/models"})
        if (cut(path, tail)) return false;
    for (std::string_view tail : {"/api/chat", "/api/generate", "/api/tags"})
        if (cut(path, tail)) return true;
    return false;
}
std::string base_path(std::string path, const net::Url& url, const Protocol& protocol, bool has_query) {
    cut_slashes(path);
    const bool ollama = cut_endpoint(path, url);
    cut_slashes(path);
    for (std::string_view version : {"/v1", "/v1beta"})
        if (path.ends_with(std::string(version) + std::string(version))) cut(path, version);
    if (protocol.read_base) {  // Ollama's own endpoints are below the server's address
        if (!cut(path, "/v1")) cut(path, "/api");
        cut_slashes(path);
    } else if (protocol.version) {
        if (path.ends_with("/v1beta/openai")) cut(path, "/openai");
        if (!ends_in_version(path) && !path.ends_with("/publishers/google")) (path += '/') += protocol.version;
    } else if (ollama) {
        path += "/v1";
    } else if (is_azure(url) && !has_query && (path.empty() || path == "/openai")) {
        path = "/openai/v1";
    }
    return path.empty() ? "/" : path;
}
template <class Read> auto named(const std::string& source, Read read) {
    try {
        return read();
    } catch (const Error& error) {
        throw Error(error.code(), source.empty() ? error.what() : source + ": " + error.what());
    }
}
}

net::Url read_base(std::string_view given, const std::string& source, const Protocol& protocol) {
    const std::string text(pasted_address(given));
    refuse_odd(text, source, "address");
    auto url = named(source,
                     [&] { return protocol.read_base ? protocol.read_base(text) : net::parse_url(with_scheme(text)); });
    auto query = url.target.substr(std::min(url.target.find('?'), url.target.size()));
    if (query == "?") query.clear();
    url.target = base_path(url.target.substr(0, url.target.find('?')), url, protocol, !query.empty()) + query;
    return url;
}
void check_base(std::string_view given, const std::string& source) {
    const std::string text(pasted_address(given));
    refuse_odd(text, source, "address");
    const bool bare = text.find("://") == text.npos;
    named(source, [&] {
        return net::parse_url(!bare ? text : text.starts_with(':') ? "http://h" + text : "http://" + text);
    });
}
Protocol::Header key_header(const Protocol& protocol, const net::Url& base, const Secret& key) {
    const bool azure = is_azure(base) || base.target.find("?api-version=") != std::string::npos ||
                       base.target.find("&api-version=") != std::string::npos;
    const bool is_token = key.reveal().starts_with("eyJ");  // tokens of Entra go into the usual header
    return azure && speaks_openai(protocol) && !is_token ? Protocol::Header{"api-key", ""} : protocol.key;
}
}
