// The check applies to the address at connection time, not to the result of a look-up: a name may resolve differently
// the next time. Each redirect is checked like a first request.
#include "tools/http_get.hpp"
#include "engine/net/http_client.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "tools/make_tool.hpp"
#include "tools/web/hosts.hpp"
#include "tools/web/html_text.hpp"
#include "tools/web/links.hpp"

namespace weft::tools {
namespace {
constexpr int most_redirects = 5;
constexpr std::size_t most_of_page = 1u << 20, most_of_error = 500, most_of_mark = 80;

bool is_redirect(unsigned status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}
/// The media type of a Content-Type: "text/html".
std::string kind_of(std::string_view type) { return lower(type.substr(0, type.find_first_of("; \t,"))); }
bool is_text(std::string_view kind) {
    return kind.empty() || kind.starts_with("text/") || kind == "application/json" || kind == "application/xml" ||
           kind == "application/x-ndjson" || kind == "application/yaml" || kind.ends_with("+json") ||
           kind.ends_with("+xml");
}
struct WebPage {
    unsigned status = 0;
    std::string kind, body;
    bool whole = true;
};

class Getter {
public:
    explicit Getter(HttpGetOptions options)
        : options_(std::move(options)),
          hosts_(options_.hosts),
          client_([this](const boost::asio::ip::address& address) { check(address); }) {
        if (!options_.allow_loopback) client_.trust();
    }
    const AllowedHosts& hosts() const { return hosts_; }

    awaitable<Observation> get(std::string address) {
        std::string why;
        try {
            auto fetching = fetch(read_address(address));
            const auto page = co_await with_timeout(options_.deadline, std::move(fetching));
            co_return show(page);
        } catch (const Error& error) {
            why = error.code() != Code::timed_out
                      ? error.what()
                      : "it did not come within " + std::to_string(options_.deadline.count()) + " ms";
        }
        throw ToolError(why);
    }

private:
    void check(const boost::asio::ip::address& address) const {
        if (is_public(address) || (options_.allow_loopback && address.is_loopback())) return;
        throw ToolError("this host has the address " + address.to_string() +
                        ", which is not public: the host is not asked");
    }
    void check(const net::Url& url) const {
        if (!hosts_.allows(url))
            throw ToolError("the host " + url.authority() + " is not allowed; allowed are " + hosts_.list());
    }
    awaitable<WebPage> fetch(net::Url url) {
        net::HttpRequest request;
        request.headers = {{"Accept", "text/html, text/plain, application/json;q=0.9, text/*;q=0.8, */*;q=0.1"}};
        request.limits.stream = std::size_t(1) << 40;  // a long response is read in part
        request.timeouts.total = options_.deadline;
        for (int redirects = 0;; ++redirects) {
            check(url);
            request.url = url;
            auto stream = co_await client_.open(request);
            if (!is_redirect(stream.status())) co_return co_await read(stream);
            const auto place = find_header(stream.headers(), "Location");
            if (place.empty()) throw ToolError("it redirects without saying where");
            const auto next = follow_link(url, place);
            if (redirects == most_redirects)
                throw ToolError("it redirects more than 5 times, the last time to " + next.text());
            if (url.tls && !next.tls)
                throw ToolError("it redirects from https to " + next.text() + ", which is not followed");
            if (next == url) throw ToolError("it redirects to itself");
            url = next;
        }
    }
    awaitable<WebPage> read(net::HttpStream& stream) const {
        WebPage page;
        page.status = stream.status();
        page.kind = kind_of(find_header(stream.headers(), "Content-Type"));
        if (!is_text(page.kind)) co_return page;
        const auto most = is_html(page) ? most_of_page : options_.bytes;
        page.body = co_await stream.read_up_to(most + 1);
        page.whole = page.body.size() <= most;
        co_return page;
    }
    static bool is_html(const WebPage& page) {
        return page.kind == "text/html" || page.kind == "application/xhtml+xml";
    }
    Observation show(const WebPage& page) const {
        const auto status = "the server answers with the status " + std::to_string(page.status);
        const bool ok = page.status >= 200 && page.status < 300;
        if (!is_text(page.kind) || page.body.find('\0') != page.body.npos) {
            if (!ok) return {"Error: " + status, false};
            return {"Error: this is not text" + (page.kind.empty() ? "" : " (" + shown(page.kind) + ")") +
                        ", and only text can be read",
                    false};
        }
        const auto text = is_html(page) ? html_text(page.body) : repair_utf8(page.body);
        if (!ok)
            return {"Error: " + status + (text.empty() ? "" : ": " + std::string(utf8_cut(text, most_of_error))),
                    false};
        if (text.empty() && !page.whole)
            return {"[truncated: the page is long, and there is no text in its first " + std::to_string(most_of_page) +
                    " bytes]"};
        if (text.empty()) return {"The page holds no text."};
        return {cut(text, page.whole)};
    }
    static std::string shown(std::string_view kind) { return repair_utf8(utf8_cut(kind, 60)); }
    std::string cut(const std::string& text, bool whole) const {
        if (whole && text.size() <= options_.bytes) return text;
        const auto room = options_.bytes > most_of_mark ? options_.bytes - most_of_mark : 0;
        const auto part = utf8_cut(text, room);
        return std::string(part) + "\n[truncated: the first " + std::to_string(part.size()) +
               " bytes of the text are shown]";
    }
    const HttpGetOptions options_;
    const AllowedHosts hosts_;
    net::HttpClient client_;
};
}

std::shared_ptr<Tool> http_get(HttpGetOptions options) {
    auto getter = std::make_shared<Getter>(std::move(options));
    auto description = "Reads a page of the web, or another text, and gives what it says. Allowed hosts: " +
                       getter->hosts().list() + ".";
    auto get = [getter](std::string url) { return getter->get(std::move(url)); };
    return make_tool("http_get", std::move(description), std::move(get), {"url"});
}
}
