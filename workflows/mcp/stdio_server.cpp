// One signal rings for all changes: a new line, a message to write, an empty writer, a stop. Requests begin in the
// order of their lines, and the reply to `initialize` comes before the next line is read.
#include "workflows/mcp/stdio_server.hpp"
#include "engine/asio.hpp"
#include "engine/timeout.hpp"
#include "workflows/mcp/line_pipes.hpp"
#include "workflows/mcp/peer.hpp"
#include <atomic>

namespace weft::mcp_server {
namespace {
constexpr std::size_t most_unwritten = 4u << 20;  // maximum bytes in the writer
constexpr int lines_at_once = 64;
constexpr std::size_t most_behind = 4u << 20;  // above it the server stops reading until the client reads
}
struct StdioServer::State {
    State(const Core& c, StdioOptions o) : core(c), options(o) {}
    const Core core;
    const StdioOptions options;
    Signal signal;
    std::atomic<bool> stopping{false};
};

namespace {
class StdioConversation {
public:
    StdioConversation(StdioServer::State& state, const Runtime& runtime)
        : state_(state),
          peer_(std::make_shared<Peer>(state.core, runtime)),
          box_(std::make_shared<Outbox>()),
          writer_(state.options.output, state.signal),
          reader_(state.options.input, state.options.longest_line, state.signal) {
        out_.signal = state.signal;
        box_->listen(out_);
    }
    awaitable<void> run() {
        bool ended = false;
        const auto& clock = co_await this_clock();
        auto until = Clock::Time::max();
        const auto* runtime = co_await this_runtime();
        const auto alarm = runtime->clock->make_alarm(runtime->executor, [signal = state_.signal] { signal.ring(); });
        while (!state_.stopping && !writer_.broken()) {
            int heard = 0;
            for (; heard < lines_at_once && box_->unread() < most_behind; ++heard) {
                auto line = reader_.take();
                if (!line) break;
                hear(std::move(*line));
            }
            if (heard == lines_at_once) state_.signal.ring();  // looks for more lines after a turn of the begun calls
            if (!ended && reader_.ended()) {
                ended = true;
                until = clock.after(state_.options.grace);
                alarm->set(until);
            }
            if (!ended && reader_.closed() && until == Clock::Time::max()) {  // the client may still read
                until = clock.after(state_.options.grace);
                alarm->set(until);
            }
            if (!ended && clock.now() >= until) break;
            if (box_->unread() > 0 && writer_.unwritten() < most_unwritten) {
                if (!ended) until = Clock::Time::max();
                auto messages = co_await box_->take(out_);
                for (auto& message : messages) writer_.put(std::move(message));
                continue;
            }
            if (ended && box_->unread() == 0 && (peer_->calls() == 0 || clock.now() >= until)) break;
            co_await state_.signal.wait();
        }
        peer_->cancel_all();
        state_.core.leave();
        auto ending = until_quiet(std::vector(1, peer_));
        co_await std::move(ending);
    }

private:
    void hear(IncomingLine line) {
        if (line.too_long) {
            const auto sentence = "a line may have " + std::to_string(state_.options.longest_line) + " bytes";
            return box_->put(rpc::write(rpc::failure({}, rpc::code::no_request, sentence)));
        }
        auto read = rpc::read_message(line.text, {.bytes = state_.options.longest_line});
        if (auto* bad = std::get_if<rpc::Malformed>(&read)) {
            if (auto answer = peer_->hear(std::move(*bad), line.text)) box_->put(rpc::write(std::move(*answer)));
            return;
        }
        auto& message = std::get<rpc::RpcMessage>(read);
        if (auto* request = std::get_if<rpc::Request>(&message)) return hear(std::move(*request));
        if (const auto* notification = std::get_if<rpc::Notification>(&message)) return peer_->hear(*notification);
        peer_->hear(std::move(std::get<rpc::Response>(message)));
    }
    void hear(rpc::Request request) {
        Envelope envelope;
        envelope.agreed = peer_->agreed();
        envelope.principal = "stdio";
        const auto id = request.id;
        try {
            if (request.method == rpc::method::initialize && !is_modern(request.params, envelope))
                return box_->put(rpc::write(rpc::success(id, peer_->agree(request.params, "stdio"))));
            auto asker = check_envelope(request, envelope);
            peer_->begin(std::move(request), std::move(asker), envelope, box_, true);
        } catch (const RpcFailure& failure) {
            box_->put(rpc::write(rpc::failure(id, failure.code, failure.what(), failure.data)));
        }
    }
    StdioServer::State& state_;
    const std::shared_ptr<Peer> peer_;
    const std::shared_ptr<Outbox> box_;
    Outbox::OutboxReader out_;
    LineWriter writer_;
    LineReader reader_;
};
awaitable<void> converse(std::shared_ptr<StdioServer::State> state) {
    const auto* runtime = co_await this_runtime();
    StdioConversation conversation(*state, *runtime);
    co_await conversation.run();
}
}

StdioServer::StdioServer(Engine& engine, const Core& core, StdioOptions options)
    : engine_(engine), state_(std::make_shared<State>(core, options)) {}
StdioServer::~StdioServer() = default;
void StdioServer::run() {
    auto conversing = converse(state_);
    engine_.wait(std::move(conversing));
}
void StdioServer::stop() {
    state_->stopping = true;
    state_->signal.ring();
}
}
