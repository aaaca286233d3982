// The next request of any client removes sessions that have been idle for too long: no timer is needed.
#include "workflows/mcp/sessions.hpp"
#include "workflows/server/guard/guard.hpp"
#include <algorithm>
#include <charconv>
#include <tuple>

namespace weft::mcp_server {
namespace {
constexpr std::size_t most_streams = 4, kept_of_stream = 64 << 10, kept_of_session = 4 << 20, id_length = 40;
}
std::pair<std::size_t, std::shared_ptr<Outbox>> McpSession::add_stream() {
    const auto surplus = [this] {
        std::size_t kept = 0;
        for (const auto& [number, box] : streams) kept += box->kept();
        return streams.size() >= most_streams || kept > kept_of_session;
    };
    for (const bool only_read : {true, false})
        for (auto at = streams.begin(); at != streams.end() && surplus();) {
            const auto& box = *at->second;
            at = box.closed() && (!only_read || box.unread() == 0) ? streams.erase(at) : std::next(at);
        }
    streams.emplace_back(++last_stream, std::make_shared<Outbox>(kept_of_stream));
    return streams.back();
}

void Sessions::close(const std::shared_ptr<McpSession>& session) {
    by_id_.erase(session->id);
    session->is_gone = true;
    session->peer->cancel_all();
    session->ended.ring();
}
void Sessions::close_all() {
    const auto all = by_id_;
    for (const auto& [id, session] : all) close(session);
}
std::vector<std::shared_ptr<Peer>> Sessions::peers() const {
    std::vector<std::shared_ptr<Peer>> all;
    for (const auto& [id, session] : by_id_) all.push_back(session->peer);
    return all;
}
void Sessions::forget_old(const Clock& clock) {
    const auto now = clock.now();
    const auto all = by_id_;
    for (const auto& [id, session] : all)
        if (session->peer->calls() == 0 && session->used + rest_ <= now) close(session);
}
std::shared_ptr<McpSession> Sessions::open(const Core& core, const Runtime& runtime, const std::string& principal) {
    forget_old(*runtime.clock);
    while (by_id_.size() >= most_ && !by_id_.empty()) {
        // The caller with the most sessions loses one, so that no caller can drop the sessions of others.
        std::unordered_map<std::string, std::size_t> owned;
        for (const auto& [id, session] : by_id_) ++owned[session->principal];
        const auto order = [&](const auto& entry) {
            const auto& session = *entry.second;
            return std::tuple(-std::ptrdiff_t(owned[session.principal]), session.peer->calls() > 0, session.used);
        };
        const auto oldest = std::ranges::min_element(by_id_, {}, order);
        close(std::shared_ptr(oldest->second));
    }
    auto session = std::make_shared<McpSession>();
    session->id = server::random_text(id_length);
    session->principal = principal;
    session->peer = std::make_shared<Peer>(core, runtime);
    session->used = runtime.clock->now();
    by_id_[session->id] = session;
    return session;
}
std::shared_ptr<McpSession> Sessions::find(std::string_view id, const std::string& principal, const Clock& clock) {
    forget_old(clock);
    const auto found = by_id_.find(std::string(id));
    if (found == by_id_.end() || found->second->principal != principal) return nullptr;
    found->second->used = clock.now();
    return found->second;
}

std::optional<StreamPlace> read_place(std::string_view id) {
    StreamPlace place;
    const auto dash = id.find('-');
    if (dash == id.npos) return {};
    const auto read = [](std::string_view text, std::size_t& number) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return !text.empty() && error == std::errc() && end == text.data() + text.size();
    };
    if (!read(id.substr(0, dash), place.stream) || !read(id.substr(dash + 1), place.next)) return {};
    return place;
}
std::string event_id(std::size_t stream, std::size_t number) {
    return std::to_string(stream) + "-" + std::to_string(number);
}
}
