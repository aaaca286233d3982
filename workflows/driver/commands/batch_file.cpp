// A file with a million lines is read twice and never held in memory; only its keys are.
#include "workflows/driver/commands/batch_file.hpp"
#include "engine/core/data/run_values.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/json/parse.hpp"
#include "engine/store/rules.hpp"
#include "engine/text/iso_time.hpp"
#include "engine/text/read_line.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_map>

namespace weft::driver {
namespace {
using nlohmann::json;
constexpr std::uintmax_t largest_batch = 1u << 30;  // bytes
constexpr std::size_t most_lines = 1'000'000, longest_key = 200;
constexpr std::int64_t most_priority = 1'000'000;
constexpr std::size_t longest_line = 1u << 20;                // bytes
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // of editors and spreadsheets of Windows
constexpr std::string_view members[] = {"input", "key", "queue", "priority", "not_before", "values"};

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }
}

BatchFile::BatchFile(std::string name, const EventType& start) : name_(std::move(name)), start_(start) {
    std::error_code failed;
    const auto refuse_file = [&](const std::string& why) { throw Error(Code::usage, "--batch: " + name_ + ' ' + why); };
    if (!std::filesystem::exists(name_, failed)) refuse_file("does not exist");
    if (!std::filesystem::is_regular_file(name_, failed)) refuse_file("is no regular file, and is read twice");
    if (std::filesystem::file_size(name_, failed) > largest_batch) refuse_file("is larger than 1 GiB: split it");
    file_.open(name_, std::ios::binary);
    if (!file_) refuse_file("cannot be read");
}
std::string BatchFile::place() const { return "line " + std::to_string(line_) + " of " + name_; }
void BatchFile::refuse(const std::string& why) const { throw Error(Code::usage, place() + ' ' + why); }
void BatchFile::take_options(const json& object, BatchLine& line) const {
    if (const auto queue = object.find("queue"); queue != object.end()) {
        line.queue = text_of(*queue);
        storage::check_queue_name(*line.queue);
        check_one_queue(*line.queue, place() + " takes as \"queue\"");
    }
    if (const auto priority = object.find("priority"); priority != object.end()) {
        const auto number = from_json<std::int64_t>(*priority, "\"priority\"");
        if (number < -most_priority || number > most_priority)
            refuse("has a \"priority\" beyond " + std::to_string(most_priority));
        line.priority = int(number);
    }
    if (const auto at = object.find("not_before"); at != object.end()) {
        const auto time = read_iso_time(text_of(*at));
        if (!time.mistake.empty()) refuse("is refused: \"not_before\" " + time.mistake);
        line.not_before = time.at;
    }
    if (const auto values = object.find("values"); values != object.end())
        line.values = JsonText{core::checked_values(values->dump())};
}
BatchLine BatchFile::parsed(const std::string& text) const {
    constexpr auto form = R"(: write {"input": {...}}, or also "key", "queue", "priority", "not_before" and "values")";
    BatchLine line;
    auto object = parse_json(text, {.bytes = longest_line});
    if (!object.is_object()) refuse(std::string("is no JSON object") + form);
    for (const auto& [member, value] : object.items())
        if (std::ranges::find(members, member) == std::end(members))
            refuse("has a member \"" + excerpt(member, 40) + '"' + form);
    take_options(object, line);
    if (const auto key = object.find("key"); key != object.end()) {
        line.key = text_of(*key);
        if (!storage::can_be_run_id(line.key) || line.key.size() > longest_key)
            refuse("needs as \"key\" a text of 1 to " + std::to_string(longest_key) +
                   " bytes without control characters");
    }
    if (const auto input = object.find("input"); input != object.end()) line.input = std::move(*input);
    catalog::check_input(start_, line.input, place() + ": \"input\"");
    read_event(start_, line.input, "\"input\"");
    return line;
}
std::optional<BatchLine> BatchFile::next() {
    std::string text;
    for (auto end = LineEnd::newline; end == LineEnd::newline;) {
        end = read_line(file_, text, longest_line);
        if (end == LineEnd::file_end && text.empty()) break;
        if (++line_ > most_lines)
            refuse("is one too many: a file has at most " + std::to_string(most_lines) + " lines");
        if (end == LineEnd::unreadable) refuse("cannot be read");
        if (end == LineEnd::too_long) refuse("is longer than 1 MiB");
        if (line_ == 1 && text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
        if (text.find_first_not_of(" \t\r") == text.npos) continue;
        try {
            return parsed(text);
        } catch (const Error& error) {
            if (error.code() == Code::usage && std::string_view(error.what()).starts_with(place())) throw;
            refuse(std::string("is refused: ") + error.what());
        }
    }
    return {};
}
void BatchFile::check() {
    std::unordered_map<std::string, std::size_t> lines;
    while (const auto line = next()) {
        if (line->key.empty()) continue;
        const auto [first, is_new] = lines.emplace(line->key, line_);
        if (!is_new) refuse("has the key of line " + std::to_string(first->second) + ": each run needs its own");
    }
    if (line_ == 0) throw Error(Code::usage, "--batch: " + name_ + " is empty");
    file_.clear();
    file_.seekg(0);
    line_ = 0;
}
}
