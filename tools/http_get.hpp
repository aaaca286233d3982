// A tool that reads web pages from hosts that its owner allows: http_get(url).
//
//     registry.add(http_get({.hosts = {"en.wikipedia.org", "*.example.org"}}));
// No registry contains it by default. A model chooses the page, and a page may try to manipulate the model, so:
//   - only http and https, without user names; only hosts of the list, also after a redirect, of which five are
//     followed, never from https to http;
//   - only public addresses. The check applies to the address of each connection, so a name that now or later leads
//     into the private network gains nothing;
//   - only text. HTML becomes its readable text (tools/web/html_text.hpp); a long text is cut and marked "truncated";
//   - no cookies, no keys, nothing but GET; one deadline for the whole call.
// Each failure is an observation. One tool serves all runs on all loops.
#pragma once
#include "tools/tool.hpp"
#include <chrono>
#include <memory>
#include <vector>

namespace weft::tools {
/// The allowed hosts of http_get, and its limits.
struct HttpGetOptions {
    std::vector<std::string> hosts = {};  // form: tools/web/hosts.hpp
    std::size_t bytes = 64u << 10;        // maximum size of an observation
    std::chrono::milliseconds deadline{15000};
    bool allow_loopback = false;  // allow this machine, for tests
};
/// Throws Error{configuration} if a host cannot be allowed, or the list is empty.
std::shared_ptr<Tool> http_get(HttpGetOptions);
}
