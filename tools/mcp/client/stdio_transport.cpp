// Each process has its own session, so late output of an earlier process is dropped.
#include "tools/mcp/client/stdio_transport.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/stdio_session.hpp"

namespace weft::tools::mcp {
StdioTransport::StdioTransport(StdioSettings settings) : settings_(std::move(settings)) {}
StdioTransport::~StdioTransport() {
    if (session_) session_->abandon();
}
std::string StdioTransport::odd_id() const { return session_ ? session_->odd_id() : std::string(); }
std::string StdioTransport::odd_line() const { return session_ ? session_->odd_line() : std::string(); }
bool StdioTransport::is_open() const { return session_ && session_->is_open(); }
awaitable<void> StdioTransport::open(TransportListener& listener, bool at_once) {
    const auto* runtime = co_await this_runtime();
    const auto former = session_;
    unsigned failures = 0;
    if (former && former->ended_by_itself()) {
        failures = former->has_answered() ? 1 : former->failures + 1;
        const auto pause = former->end() + settings_.pause.before_retry(failures) - runtime->clock->now();
        if (!at_once && pause > Duration::zero()) co_await sleep_for(pause);
    }
    if (is_open()) co_return;  // another open() has finished meanwhile
    const auto session = std::make_shared<StdioSession>(settings_, listener, *runtime);
    session->failures = failures;
    session->begin();
    session_ = session;
}
void StdioTransport::throw_not_open() const {
    throw TransportError(TransportFailure::ended,
                         "the MCP server \"" + settings_.server + "\" is not running: open() starts it");
}
awaitable<Response> StdioTransport::request(Request request, SendOptions sending) {
    if (!is_open()) throw_not_open();
    const auto session = session_;
    co_return co_await session->request(std::move(request), sending.quiet);
}
awaitable<void> StdioTransport::send(RpcMessage message) {
    if (!is_open()) throw_not_open();
    const auto session = session_;
    auto line = write(message) + "\n";
    co_await session->write(std::move(line));
}
awaitable<void> StdioTransport::notify(Notification notification) { return send(std::move(notification)); }
awaitable<void> StdioTransport::answer(Response response) { return send(std::move(response)); }
awaitable<void> StdioTransport::close() {
    const auto session = session_;
    if (session) co_await session->close();
}
}
