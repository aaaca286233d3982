// Chooses the proxy of a request, by the usual environment variables.
//
//     auto proxies = ProxySettings::from([](const std::string& name) -> std::optional<std::string> { ... });
//     const Proxy* proxy = proxies.find(url);         // null: a direct connection
//
// https_proxy or HTTPS_PROXY applies to https, http_proxy to http (lower case only: web servers pass a client's "Proxy"
// header to their children as HTTP_PROXY), else all_proxy or ALL_PROXY. An empty variable counts as unset. The value is
// http://user:password@host:port; scheme and user are optional; the default port is 1080. no_proxy or NO_PROXY lists
// hosts for direct connections, separated by commas or blanks: example.org and all its subdomains (also written
// .example.org or *.example.org), addresses, ranges such as 10.0.0.0/8, each optionally with :port, or * for all. No
// other host is exempt, not even localhost, as in curl. A malformed proxy is an error only when it is needed: find()
// throws Error{configuration} with the variable's name, never its value, which may hold a password.
#pragma once
#include "engine/net/url.hpp"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft::net {
struct Proxy {
    Url url;                                                          // http://host:port/, without credentials
    std::string authorization;                                        // "Basic ..." or empty; never shown
    std::string name() const { return "the proxy " + url.origin(); }  // for people
    std::string wants_user() const;                                   // a sentence for its status 407
};

class ProxySettings {
public:
    using ProxyVariable = std::function<std::optional<std::string>(const std::string& name)>;
    ProxySettings() = default;  // no proxy
    static ProxySettings from(const ProxyVariable&);
    const Proxy* find(const Url&) const;

private:
    struct ProxyChoice {
        std::optional<Proxy> proxy;
        std::string problem;  // error in the variable; empty: none
    };
    struct Exemption {
        std::string host;   // empty: all hosts
        int bits = -1;      // prefix length of an address range
        unsigned port = 0;  // 0: any
    };
    static ProxyChoice read(const std::string& variable, std::string value);
    bool is_exempt(const Url&) const;
    ProxyChoice http_, https_;
    std::vector<Exemption> exempt_;
};
}
