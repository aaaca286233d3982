// The rows of option_rows that are stored are the fields of "options", and decide the checks of both directions.
#include "workflows/catalog/stored_run_options.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/json/walk.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/http/address.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "workflows/catalog/mcp_servers.hpp"
#include <filesystem>
#include <map>

namespace weft::catalog {
using namespace storage;
namespace {

/// The JSON form of a run.
struct RunText {
    std::string command, workflow;
    nlohmann::json input;
    std::map<std::string, nlohmann::json> options;
    std::string handler;
    static constexpr std::string_view optional_fields[] = {"handler"};
};
BOOST_DESCRIBE_STRUCT(RunText, (), (command, workflow, input, options, handler))

/// AgentOptions with its stored members only.
const json_detail::Shape& stored_options() {
    static const auto fields = [] {
        std::vector<json_detail::Field> all;
        for (const auto& row : option_rows)
            if (row.stored != OptionStorage::no) all.push_back(row.field);
        return all;
    }();
    static const json_detail::Shape shape{
        .form = json_detail::Form::object, .size = sizeof(AgentOptions), .name = "AgentOptions", .fields = fields};
    return shape;
}

// ----- written

/// Refuses text that would change when it is stored and read again.
const std::string& checked_text(const std::string& text) {
    if (is_utf8(text)) return text;
    throw Error(Code::usage, "a run is stored as UTF-8, and \"" + excerpt(text, 60) + "\" is not: use a name in UTF-8");
}
std::string absolute_file(const std::string& file) {
    return file.empty() ? file : checked_text(std::filesystem::absolute(file).lexically_normal().string());
}
bool is_path(const models::ModelName& name) {  // else the name of a bundled script
    return name.file == models::ModelFile::replay ||
           (name.file == models::ModelFile::script && name.model.find('/') != name.model.npos);
}
std::string kept_model(const std::string& text) {
    if (text.empty()) return text;
    auto name = models::parse_model_name(text);
    if (is_path(name)) name.model = absolute_file(name.model);
    return checked_text(name.text());
}
std::string kept_text(const OptionRow& row, const std::string& text) {
    switch (row.kind) {
    case TextKind::plain: break;
    case TextKind::file: return absolute_file(text);
    case TextKind::text_or_file:
        if (text.starts_with('@')) return "@" + absolute_file(text.substr(1));
        break;
    case TextKind::model: return kept_model(text);
    case TextKind::base_url:
        if (!text.empty()) models::check_base(text, std::string(row.flag));
        break;
    case TextKind::servers: return checked_text(name_of_servers(text));
    }
    return checked_text(text);
}
void make_kept(const OptionRow& row, AgentOptions& options) {
    if (const auto* member = std::get_if<std::string AgentOptions::*>(&row.member)) {
        auto& text = options.*(*member);
        text = kept_text(row, text);
    }
    if (const auto* member = std::get_if<Texts AgentOptions::*>(&row.member))
        for (auto& text : options.*(*member)) text = kept_text(row, text);
}

// ----- read

[[noreturn]] void refuse_kept(const std::string& what) { throw Error(Code::journal, what); }
void check_file(const std::string& file) {
    if (!file.empty() && (file[0] != '/' || file.find('\0') != file.npos))
        refuse_kept("\"" + excerpt(file, 60) + "\" is not the absolute path of a file");
}
void check_model(const std::string& text) {
    if (text.empty()) return;
    const auto name = models::parse_model_name(text);
    if (is_path(name)) check_file(name.model);
}
void check_number(std::string_view name, double value, double least, double most) {
    if (!(value >= least && value <= most)) refuse_kept(std::string(name) + " is out of its bounds");
}
void check_budget(const agents::Budget& budget) {
    const std::pair<const char*, double> bounds[] = {{"budget.tokens", double(budget.tokens)},
                                                     {"budget.cost", budget.cost},
                                                     {"budget.requests", double(budget.requests)},
                                                     {"budget.tool_calls", double(budget.tool_calls)},
                                                     {"budget.time_ms", double(budget.time_ms)}};
    for (const auto& [name, value] : bounds) check_number(name, value, 0, 1e15);
}
/// Throws for a value that weft never stores. The type of the value selects the check.
struct ValueCheck {
    const OptionRow& row;
    void number(double value) const { check_number(row.field.name, value, row.bounds.least, row.bounds.most); }
    void operator()(const std::string& text) const {
        if (row.kind == TextKind::file) check_file(text);
        if (row.kind == TextKind::text_or_file && text.starts_with('@')) check_file(text.substr(1));
        if (row.kind == TextKind::model) check_model(text);
        if (row.kind == TextKind::base_url && !text.empty()) models::check_base(text, std::string(row.flag));
    }
    void operator()(const Texts& texts) const {
        for (const auto& text : texts) (*this)(text);
    }
    void operator()(int value) const {
        if (value != 0) number(value);
    }
    void operator()(const std::optional<double>& value) const {
        if (value) number(*value);
    }
    void operator()(const std::optional<std::chrono::milliseconds>& value) const {
        if (value) number(double(value->count()));
    }
    void operator()(const agents::Budget& budget) const { check_budget(budget); }
    void operator()(const NamedTexts&) const {}
    void operator()(bool) const {}
    void operator()(tools::PermissionMode) const {}
};
}

std::string write_stored_run_options(const AgentOptions& options, const std::string& model, std::string_view workflow,
                                     const nlohmann::json& input, const std::string& handler) {
    auto kept = options;
    kept.model = model;
    for (const auto& row : option_rows)
        if (row.stored != OptionStorage::no) make_kept(row, kept);
    const RunText run{
        .command = options.command, .workflow = std::string(workflow), .input = input, .handler = handler};
    auto json = to_json(run);
    json["options"] = json_detail::write(stored_options(), &kept, json_detail::Path("options"));
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
StoredRunOptions read_stored_run_options(const RunRow& row) {
    const auto run = "run " + repair_utf8(row.id);
    if (row.options.empty())
        throw Error(Code::usage, run + " was started by another program, not by weft: resume it with that program");
    try {
        auto text = from_json<RunText>(parse_json(row.options));
        StoredRunOptions kept{.command = std::move(text.command),
                              .workflow = std::move(text.workflow),
                              .input = std::move(text.input),
                              .handler = std::move(text.handler)};
        json_detail::read(stored_options(), text.options, &kept.options, json_detail::Path("options"));
        if (kept.workflow != row.workflow) refuse_kept("they are for a workflow other than the run's");
        for (const auto& option : option_rows)
            if (option.stored != OptionStorage::no)
                std::visit([&](auto member) { ValueCheck{option}(kept.options.*member); }, option.member);
        return kept;
    } catch (const Error& error) {
        throw Error(Code::journal, run + " keeps options that cannot be used: " + error.what());
    }
}
AgentOptions options_of(const StoredRunOptions& kept, const std::string& store_file) {
    auto options = kept.options;
    options.mcp.clear();  // never start servers from a store
    options.command = kept.command;
    options.store_file = store_file;
    return options;
}
}
