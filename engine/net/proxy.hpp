// Which proxy a request goes through, as people set it in the environment for all their programs.
//
//     auto proxies = ProxySettings::from([](const std::string& name) -> std::optional<std::string> { ... });
//     const Proxy* proxy = proxies.find(url);         // null: a direct connection
//
// https_proxy or HTTPS_PROXY for https, http_proxy for http (lower case only: a web server hands a stranger's "Proxy"
// header to its children as HTTP_PROXY), else all_proxy or ALL_PROXY. An empty variable counts as unset. The value is
// http://user:password@host:port; scheme and user may be left out; the default port is 1080. no_proxy or NO_PROXY
// lists, separated by commas or blanks, hosts to connect to directly: example.org and all below it (also written
// .example.org or *.example.org), addresses, ranges such as 10.0.0.0/8, any of them with :port, or * for all. No other
// host is exempt, not even localhost, as with curl. A wrong proxy is an error only when it is needed: find() throws
// Error{configuration} that names the variable, never its value, which may hold a password.
#pragma once
#include "engine/net/url.hpp"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft::net {
struct Proxy {
    Url url;                                                          // http://host:port/, without credentials
    std::string authorization;                                        // "Basic ..." or empty; never shown to anybody
    std::string name() const { return "the proxy " + url.origin(); }  // for people
    std::string wants_user() const;                                   // its 407, as a sentence
};

class ProxySettings {
public:
    using Variable = std::function<std::optional<std::string>(const std::string& name)>;
    ProxySettings() = default;  // none
    static ProxySettings from(const Variable&);
    const Proxy* find(const Url&) const;

private:
    struct Choice {
        std::optional<Proxy> proxy;
        std::string problem;  // with it
    };
    struct Exemption {
        std::string host;   // empty: every one
        int bits = -1;      // of an address that stands for a range
        unsigned port = 0;  // 0: any
    };
    static Choice read(const std::string& variable, std::string value);
    bool is_exempt(const Url&) const;
    Choice http_, https_;
    std::vector<Exemption> exempt_;
};
}
