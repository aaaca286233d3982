// The servers' thread runs their loop. Other threads wait for it by a promise, and coroutines on other loops by a call
// that crosses loops.
#include "tools/mcp/servers.hpp"
#include "engine/asio.hpp"
#include "engine/core/wait/start_thread.hpp"
#include "engine/impl/async_mutex.hpp"
#include "engine/spawn.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/http_transport.hpp"
#include "tools/mcp/client/stdio_transport.hpp"
#include "tools/mcp/result_text.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <deque>
#include <mutex>
#include <thread>

namespace weft::tools::mcp {
namespace {
constexpr Duration patience_of_end = std::chrono::seconds(10);

/// A loop with its own thread.
class OwnLoop {
public:
    OwnLoop() : guard_(io_.get_executor()), thread_(core::start_thread("MCP servers", [this] { io_.run(); })) {}
    ~OwnLoop() {
        guard_.reset();
        io_.stop();
        thread_.join();
    }
    Runtime runtime() { return {io_.get_executor()}; }

private:
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_;
    std::thread thread_;
};
/// Rings after the last of several ends.
struct Countdown {
    std::size_t left;
    Signal signal;
    void one_has_ended() {
        if (--left == 0) signal.ring();
    }
};
}

struct Servers::State : std::enable_shared_from_this<Servers::State> {
    struct ServerState {
        ServerEntry entry;
        std::shared_ptr<RemoteServer> server;
        std::shared_ptr<const ToolList> list;
        std::string failure;
        bool is_starting = false;
        asio::cancellation_signal stop;  // while it is starting
    };
    State(std::vector<ServerEntry> entries, ServersOptions given) : options(std::move(given)) {
        if (!options.runtime) {
            own.emplace();
            options.runtime = own->runtime();
        }
        std::map<std::string, std::string> prefixes;
        for (const auto& entry : entries) {
            const auto [at, is_new] = prefixes.emplace(tool_prefix(entry.name), entry.name);
            if (!is_new && at->second == entry.name)
                throw Error(Code::usage, "two MCP servers are called " + excerpt(entry.name, 60) +
                                             ": give one of them another name");
            if (!is_new)
                throw Error(Code::configuration, "the tools of the MCP servers \"" + at->second + "\" and \"" +
                                                     entry.name + "\" would all be called " + at->first +
                                                     "__...: give one of the servers another name");
        }
        for (auto& entry : entries) all.emplace_back().entry = std::move(entry);
    }
    awaitable<void> start(ServerState&);
    void begin(ServerState&);
    awaitable<std::vector<std::shared_ptr<RemoteTool>>> list();
    awaitable<void> close();
    void say_closed();
    void collect();

    ServersOptions options;
    std::optional<OwnLoop> own;
    std::deque<ServerState> all;
    core::AsyncMutex listing;
    std::shared_ptr<Countdown> starting;  // used on the servers' loop, as is `listed`
    bool listed = false;
    std::atomic<bool> closed{};
    mutable std::mutex mutex;
    std::vector<std::shared_ptr<RemoteTool>> tools;  // guarded by the lock, as are the next members
    std::vector<std::string> notes;
    std::map<std::string, std::string, std::less<>> instructions;
};

std::unique_ptr<Transport> reach(const ServerEntry& entry, std::shared_ptr<net::HttpClient> http) {
    if (entry.is_program()) {
        StdioSettings settings{.server = entry.name, .secrets = entry.secrets};
        settings.program.command = entry.command;
        settings.program.arguments = entry.args;
        settings.program.folder = entry.folder;
        for (const auto& [name, value] : entry.env) settings.program.environment[name] = value;
        return std::make_unique<StdioTransport>(std::move(settings));
    }
    HttpTransportOptions options{.server = entry.name, .url = net::parse_url(entry.url), .headers = entry.headers};
    options.token = entry.token;
    options.secrets = entry.secrets;
    options.client = std::move(http);
    options.token_hint = entry.token_hint.empty() ? "give it one by the headers or the token of its configuration"
                                                  : entry.token_hint;
    return std::make_unique<HttpTransport>(std::move(options));
}

awaitable<void> Servers::State::start(ServerState& one) {
    try {
        auto client = options.client;
        if (options.noise)
            client.noise = [name = one.entry.name, hear = options.noise](std::string_view line) { hear(name, line); };
        auto transport = options.reach ? options.reach(one.entry) : reach(one.entry, options.http);
        auto server = std::make_shared<RemoteServer>(std::move(transport), std::move(client), *options.runtime);
        server->trusted = one.entry.trusted;
        server->approve = options.approve;
        {
            std::lock_guard lock(mutex);
            if (closed) co_return;
            one.server = std::move(server);
        }
        one.list = co_await one.server->client.tools();
        co_return;
    } catch (const std::exception& error) { one.failure = error.what(); }
    if (!one.server) co_return;  // stop a server without users
    co_await one.server->client.close();
}
void Servers::State::say_closed() {
    std::lock_guard lock(mutex);
    closed = true;
    for (auto& one : all)
        if (one.server) one.server->closed = true;
}
void Servers::State::collect() {
    std::lock_guard lock(mutex);
    std::vector<std::string> names;
    for (auto& one : all) {
        if (!one.list) {
            notes.push_back("the tools of the MCP server \"" + one.entry.name +
                            "\" are not there: " + (one.failure.empty() ? "it was not started" : one.failure));
            continue;
        }
        notes.insert(notes.end(), one.list->notes.begin(), one.list->notes.end());
        if (one.list->tools.empty()) notes.push_back("the MCP server \"" + one.entry.name + "\" has no usable tool");
        instructions[one.entry.name] = one.server->client.instructions();
        for (const auto& info : one.list->tools) {
            names.push_back(tool_name(one.entry.name, info.name, names));
            tools.push_back(std::make_shared<RemoteTool>(one.server, info, names.back()));
        }
    }
}
void Servers::State::begin(ServerState& one) {
    one.is_starting = true;
    auto ended = [self = shared_from_this(), &one, countdown = starting](std::exception_ptr) {
        one.is_starting = false;
        countdown->one_has_ended();
    };
    spawn(*options.runtime, start(one), asio::bind_cancellation_slot(one.stop.slot(), std::move(ended)));
}
awaitable<std::vector<std::shared_ptr<RemoteTool>>> Servers::State::list() {
    const auto self = shared_from_this();
    auto pass = co_await listing.enter();
    if (!listed) {
        if (!starting) {  // a cancelled caller may have begun the start
            starting = std::make_shared<Countdown>(Countdown{all.size(), {}});
            for (auto& one : all) begin(one);
        }
        const auto countdown = starting;
        while (countdown->left > 0) co_await countdown->signal.wait();
        collect();
        listed = true;
    }
    std::lock_guard lock(mutex);
    co_return tools;
}
awaitable<void> Servers::State::close() {
    const auto self = shared_from_this();
    say_closed();
    // Otherwise close() would wait until each server has connected, or failed to.
    for (auto& one : all)
        if (one.is_starting) one.stop.emit(asio::cancellation_type::terminal);
    auto countdown = std::make_shared<Countdown>(Countdown{all.size(), {}});
    for (auto& one : all) {
        if (!one.server) {
            countdown->one_has_ended();
            continue;
        }
        spawn(*options.runtime, one.server->client.close(),
              [self, countdown](std::exception_ptr) { countdown->one_has_ended(); });
    }
    while (countdown->left > 0) co_await countdown->signal.wait();
}

Servers::Servers(std::vector<ServerEntry> entries, ServersOptions options)
    : state_(std::make_shared<State>(std::move(entries), std::move(options))) {}
Servers::~Servers() {
    state_->say_closed();
    if (!state_->own) return;
    auto closing = with_timeout(patience_of_end, state_->close());
    auto close_all = [](with_timeout<void> work) -> awaitable<void> { co_await std::move(work); };
    try {
        spawn(*state_->options.runtime, close_all(std::move(closing)), asio::use_future).get();
    } catch (const std::exception&) {}  // servers that did not close end with their loop
    state_->own.reset();
}
std::vector<std::shared_ptr<RemoteTool>> Servers::tools() {
    if (!state_->own)
        throw Error(Code::usage, "Servers::tools() would block the loop that was given: co_await list() instead");
    auto listing = spawn(*state_->options.runtime, state_->list(), asio::use_future);
    if (const auto& waiting = state_->options.waiting)
        while (listing.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) waiting();
    return listing.get();
}
awaitable<std::vector<std::shared_ptr<RemoteTool>>> Servers::list() {
    const auto state = state_;
    auto listing = spawn(*state->options.runtime, state->list(), asio::deferred);
    co_return co_await std::move(listing);
}
std::vector<std::string> Servers::notes() const {
    std::lock_guard lock(state_->mutex);
    return state_->notes;
}
std::string Servers::instructions(std::string_view server) const {
    std::lock_guard lock(state_->mutex);
    const auto at = state_->instructions.find(server);
    return at == state_->instructions.end() ? std::string() : at->second;
}
awaitable<void> Servers::close() {
    const auto state = state_;
    auto closing = spawn(*state->options.runtime, state->close(), asio::deferred);
    co_await std::move(closing);
}
}
