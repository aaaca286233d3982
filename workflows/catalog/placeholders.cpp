// A script shows whether its model calls tools, so it is read. A server's model is assumed to call tools unless the
// recording says otherwise.
#include "workflows/catalog/placeholders.hpp"
#include "engine/error.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "steps/models/script/scripted.hpp"
#include "workflows/catalog/scripts.hpp"

namespace weft::catalog {
PlaceholderModel::PlaceholderModel(const std::string& text) {
    if (text.empty()) return;
    const auto name = models::parse_model_name(text);
    name_ = name.text();
    if (name.file == models::ModelFile::script)
        calls_tools_ = models::ScriptedModel(find_script(name.model)).calls_tools();
}
awaitable<models::ChatReply> PlaceholderModel::chat(const models::ChatRequest&, const models::OnDelta&) {
    throw Error(Code::cancelled, "a replay asks no model");  // only when awaited: ctx.once may skip that
    co_return models::ChatReply();
}
std::vector<models::Message> PlaceholderMemory::read(std::string_view) {
    throw Error(Code::cancelled, "the memory at the start of the run is unknown");
}
}
