// A tool that reads pages of the web, from hosts that its owner has named: http_get(url).
//
//     registry.add(http_get({.hosts = {"en.wikipedia.org", "*.example.org"}}));
// It is in no registry by default. A model chooses what to fetch, and a page may try to manipulate the model, so:
//   - only http and https, without user names; only hosts of the list, also after a redirect, of which five are
//     followed, never from https to http;
//   - only public addresses. What is looked at is the address that is connected to, so a name that leads into the
//     private network, today or the next time, gains nothing;
//   - only text. Of HTML what it says (tools/web/html_text.hpp); a long text is cut, with the mark "truncated";
//   - no cookies, no keys, nothing but GET; one deadline for all of it.
// Whatever goes wrong is an observation. One tool serves all runs on all loops.
#pragma once
#include "tools/tool.hpp"
#include <chrono>
#include <memory>
#include <vector>

namespace weft::tools {
struct HttpGetOptions {
    std::vector<std::string> hosts;  // as tools/web/hosts.hpp reads them
    std::size_t bytes = 64u << 10;   // of an observation
    std::chrono::milliseconds deadline{15000};
    bool allow_loopback = false;  // this machine as well, for tests
};
/// Throws Error{configuration} for hosts that cannot be allowed, and for none.
std::shared_ptr<Tool> http_get(HttpGetOptions);
}
