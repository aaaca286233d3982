// A client whose process has died learns it at once.
#include "tests/simulation/clients.hpp"
#include <algorithm>

namespace simulation {
namespace {
/// The former owner of an ended run may still repeat failed writes of its log, which another process must not end.
constexpr std::int64_t from_end_to_restored_log = 30'000'000;  // microseconds
}
void EventClients::serve(std::vector<std::unique_ptr<Process>>& processes) {
    for (auto& client : clients_) {
        const auto is_server = [&](const auto& process) { return process && process->name() == client->server; };
        if (client->has_end || std::ranges::any_of(processes, is_server)) continue;
        client->server.clear();
        auto& process = world_.one_of(processes);
        const auto row = ledger_.row(client->run);
        if (!process || process->is_leaving() || row.id.empty()) continue;
        if (has_ended(row.status) && world_.microseconds() < row.updated_at + from_end_to_restored_log) continue;
        client->server = process->name();
        if (!process->logs().serve(client, row)) client->server.clear();
    }
}
bool EventClients::have_all() const {
    return std::ranges::all_of(clients_, [](const auto& client) { return client->has_end; });
}
void EventClients::judge() {
    for (const auto& client : clients_)
        if (!client->has_end && !ledger_.row(client->run).id.empty())
            ledger_.fault("a client of the run " + client->run + " gets no end of its events");
}
}
