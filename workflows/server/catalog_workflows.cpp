// A request's history enters the run's memory before the run reads it. A kept conversation has its own history instead.
#include "workflows/server/catalog_workflows.hpp"
#include "workflows/catalog/catalog.hpp"

namespace weft::server {
std::shared_ptr<agents::Memory> Conversations::memory(const std::string& id) {
    if (id.empty()) return std::make_shared<agents::ConversationMemory>();
    if (const auto known = by_id_.find(id); known != by_id_.end()) {
        newest_first_.splice(newest_first_.begin(), newest_first_, known->second);
        return known->second->second;
    }
    newest_first_.emplace_front(id, std::make_shared<agents::ConversationMemory>());
    by_id_[id] = newest_first_.begin();
    if (by_id_.size() > most_) forget_oldest();
    std::size_t bytes = 0;  // counted again, since memories grow at the ends of their runs
    for (const auto& kept : newest_first_) bytes += kept.second->bytes();
    for (; bytes > most_bytes_ && by_id_.size() > 1; forget_oldest()) bytes -= newest_first_.back().second->bytes();
    return newest_first_.front().second;
}
void Conversations::forget_oldest() {
    by_id_.erase(newest_first_.back().first);
    newest_first_.pop_back();
}
std::shared_ptr<catalog::RunResources> CatalogWorkflows::resources_for(const RunRequest& request) {
    catalog::RunChoices own{
        .memory = conversations_.memory(request.conversation), .handler = request.handler, .restarts_scripts = true};
    for (const auto& [question, answer] : request.history) own.memory->append({}, {question, answer});
    return std::make_shared<catalog::RunResources>(process_, std::move(own));
}
std::vector<ServedWorkflow> CatalogWorkflows::offer(const std::vector<std::string>& names) {
    std::vector<const catalog::CatalogEntry*> chosen;
    for (const auto& name : names) chosen.push_back(&catalog::find_workflow(name));
    if (names.empty())
        for (const auto& entry : catalog::entries()) chosen.push_back(&entry);
    std::vector<ServedWorkflow> all;
    for (const auto* entry : chosen) {
        ServedWorkflow served{.name = std::string(entry->name), .description = std::string(entry->description)};
        served.definition = &entry->outline();
        served.stores_runs = process_.keeps_runs();
        served.streams_answers = process_.options().schema_file.empty();
        served.start = [this, entry](const RunRequest& request, const RunOptions& options) {
            auto own = resources_for(request);
            auto run = entry->run(*own, request.input, options);
            return StartedRun{std::move(run), std::move(own)};
        };
        served.resume = [this, entry](const std::string& id, const RunRequest& request, const RunOptions& options) {
            auto own = resources_for(request);
            auto run = entry->resume(*own, id, request.input, options);
            return StartedRun{std::move(run), std::move(own)};
        };
        all.push_back(std::move(served));
    }
    return all;
}
}
