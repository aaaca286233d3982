// Fetches the list of tools page by page, within limits, and keeps it until the server reports a change or it is too
// old. A modern server reports changes on a request that stays open.
#include "engine/spawn.hpp"
#include "engine/text/text.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/client_core.hpp"
#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <set>

namespace weft::tools::mcp {
using nlohmann::json;
namespace {
constexpr Duration longest_fresh = std::chrono::hours(1);
/// The time for which a page stays valid, according to the server.
Duration time_to_live(const json& page) {
    const auto ttl = page.value("ttlMs", json());
    if (!ttl.is_number() || !(ttl.get<double>() > 0)) return {};
    const double most = std::chrono::duration<double, std::milli>(longest_fresh).count();
    return std::chrono::milliseconds(std::int64_t(std::min(ttl.get<double>(), most)));
}
bool is_about_rights(std::string_view message) {
    const auto text = lower(message);
    for (const char* word : {"auth", "denied", "forbidden", "permission"})
        if (text.find(word) != text.npos) return true;
    return false;
}
/// Joins pages.
class ListBuilder {
public:
    ListBuilder(const ClientLimits& limits, std::string who, bool over_http)
        : limits_(limits), who_(std::move(who)), over_http_(over_http) {}
    /// Returns false if there is no room for more.
    bool take(const json& page) {
        const auto tools = page.find("tools");
        if (tools != page.end() && tools->empty()) return true;  // [], {} or null: servers differ
        if (tools == page.end() || !tools->is_array())
            throw Error(Code::step_failed, who_ + " answered tools/list without a list of tools");
        for (const auto& entry : *tools) {
            bytes_ += entry.dump(-1, ' ', false, json::error_handler_t::replace).size();
            if (seen_ == limits_.tools) return full("more than " + std::to_string(limits_.tools) + " tools");
            if (bytes_ > limits_.list_bytes)
                return full("tools of more than " + std::to_string(limits_.list_bytes) + " bytes");
            ++seen_;
            add(entry);
        }
        return true;
    }
    bool full(const std::string& what) {
        note(who_ + " lists " + what + ": the others are left out");
        return false;
    }
    std::shared_ptr<const ToolList> done() { return std::make_shared<const ToolList>(std::move(list_)); }

private:
    void add(const json& entry) {
        auto read = read_tool(entry, over_http_);
        if (auto* why = std::get_if<std::string>(&read)) return note(who_ + ": " + *why);
        auto& tool = std::get<ToolInfo>(read);
        if (!names_.insert(tool.name).second) return note(who_ + " lists the tool \"" + tool.name + "\" twice");
        list_.tools.push_back(std::move(tool));
    }
    void note(std::string sentence) {
        constexpr std::size_t most_notes = 50;
        if (list_.notes.size() < most_notes) list_.notes.push_back(std::move(sentence));
    }
    const ClientLimits& limits_;
    const std::string who_;
    const bool over_http_;
    ToolList list_;
    std::set<std::string> names_;
    std::size_t bytes_ = 0, seen_ = 0;
};
}

bool ClientCore::list_is_fresh(Clock::Time now) const {
    if (!list_ || listed_changes_ != changes_) return false;
    return now < fresh_until_ || (era_ == ServerEra::legacy && tells_changes_ && transport_->hears()) || listening_;
}
awaitable<std::shared_ptr<const ToolList>> ClientCore::tools() {
    co_await connect();
    auto& clock = co_await this_clock();
    if (list_is_fresh(clock.now())) co_return list_;
    auto pass = co_await listing_.enter();
    if (list_is_fresh(clock.now())) co_return list_;
    auto fetching = list();
    const auto end = clock.after(options_.limits.list);
    try {
        co_return co_await with_timeout(options_.limits.list, std::move(fetching));
    } catch (const Error& error) {
        if (error.code() != Code::timed_out || clock.now() < end) throw;
    }
    throw Error(Code::timed_out, who() + " did not list its tools within " + in_seconds(options_.limits.list));
}
awaitable<json> ClientCore::fetch_page(json params) {
    const bool is_further = params.contains("cursor");
    auto asking = ask(std::string(method::list_tools), std::move(params));
    if (declares_tools_ || is_further) co_return co_await std::move(asking);
    auto& clock = co_await this_clock();
    const auto end = clock.after(options_.limits.probe);
    try {
        co_return co_await with_timeout(options_.limits.probe, std::move(asking));
    } catch (const ErrorResponse& refused) {
        if (is_about_rights(refused.error().message)) throw;
    } catch (const Error& error) {
        if (error.code() != Code::timed_out || clock.now() < end) throw;
    }
    co_return json();  // the server has no tools
}
awaitable<std::shared_ptr<const ToolList>> ClientCore::list() {
    auto& clock = co_await this_clock();
    ListBuilder builder(options_.limits, who(),
                        transport_->kind() == Transport::Kind::http && era_ == ServerEra::modern);
    begin_to_listen();  // before the list is fetched, so that no change is missed
    const auto changes = changes_;
    auto ttl = longest_fresh;
    std::set<std::string> cursors;
    json params = json::object();
    for (std::size_t pages = 1;; ++pages) {
        const auto page = co_await fetch_page(params);
        if (page.is_null()) break;
        ttl = std::min(ttl, time_to_live(page));
        if (!builder.take(page)) break;
        const auto next = page.find("nextCursor");
        if (next == page.end() || !next->is_string()) break;
        const auto& cursor = next->get_ref<const json::string_t&>();  // an empty cursor counts
        if (pages == options_.limits.pages || cursor.size() > 4096 || !cursors.insert(cursor).second) {
            builder.full("more pages than " + std::to_string(pages));
            break;
        }
        params = json::object();
        params["cursor"] = cursor;
    }
    list_ = builder.done();
    listed_changes_ = changes;
    outputs_.clear();
    fresh_until_ = clock.after(std::max(ttl, options_.recheck));
    co_return list_;
}

void ClientCore::begin_to_listen() {
    if (era_ != ServerEra::modern || !tells_changes_ || listening_ || !runtime_ || refused_to_tell_ == connections_)
        return;
    json params = json::object();
    params["notifications"] = {{"toolsListChanged", true}};
    auto request = make(method::listen, std::move(params));
    listening_ = true;
    auto ended = [self = shared_from_this()](std::exception_ptr) {
        self->listening_ = false;
    };  // without notifications the list expires by its age
    spawn(*runtime_, subscribe(std::move(request), connections_),
          asio::bind_cancellation_slot(stop_listening_.slot(), std::move(ended)));
}
awaitable<void> ClientCore::subscribe(Request request, std::uint64_t connection) {
    SendOptions sending{.stays = true};
    auto listening = transport_->request(std::move(request), std::move(sending));
    try {
        const auto response = co_await std::move(listening);
        if (response.error()) refused_to_tell_ = connection;
    } catch (const TransportError& error) {
        if (error.trouble() != TransportFailure::ended && error.trouble() != TransportFailure::unreachable)
            refused_to_tell_ = connection;
    }
}
const Validator* ClientCore::output_validator(const ToolInfo& tool) {
    if (tool.output.is_null()) return nullptr;
    auto& validator = outputs_[tool.name];
    if (!validator) validator = std::make_unique<const Validator>(checkable(tool.output, false), "structuredContent");
    return validator.get();
}
}
