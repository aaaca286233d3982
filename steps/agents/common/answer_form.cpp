// A model may put JSON into a fence or between words: the parser tries both, and reports the first error.
#include "steps/agents/common/answer_form.hpp"
#include "engine/error.hpp"
#include "engine/text/read_file.hpp"
#include "engine/text/text.hpp"
#include "tools/schema/arguments.hpp"
#include <filesystem>

namespace weft::agents {
namespace {
using nlohmann::json;
constexpr std::size_t largest_schema = 256 << 10, longest_shown = 8 << 10;

/// The content of the first fenced block.
std::optional<std::string_view> fenced(std::string_view text) {
    const auto open = text.find("```");
    const auto line = text.find('\n', open);
    if (open == text.npos || line == text.npos) return std::nullopt;
    const auto close = text.find("```", line);
    if (close == text.npos) return std::nullopt;
    return trimmed(text.substr(line, close - line));
}
/// The text from the first bracket to the last matching one: an object or array with prose around it.
std::optional<std::string_view> bracketed(std::string_view text) {
    const auto begin = text.find_first_of("{[");
    if (begin == text.npos) return std::nullopt;
    const auto end = text.find_last_of(text[begin] == '{' ? '}' : ']');
    if (end == text.npos || end < begin) return std::nullopt;
    return text.substr(begin, end - begin + 1);
}
/// Reads the JSON of a reply. Throws an Error whose sentence becomes a part of the mistake.
json parse(std::string_view text) {
    std::string why;
    try {
        return parse_json(text);
    } catch (const Error& error) { why = error.what(); }
    for (const auto& part : {fenced(text), bracketed(text)})
        if (part) {
            try {
                return parse_json(*part);
            } catch (const Error&) {}
        }
    throw Error(Code::bad_json, why);
}
}

AnswerForm::AnswerForm(const json& schema) : validator_(new tools::Validator(schema, "answer")) {
    auto text = schema.dump();
    if (text.size() > largest_schema)
        throw Error(Code::usage, "the schema of the answer is longer than 256 KB: give a smaller one");
    instruction_ = "Your answer must be JSON that this schema describes, and nothing else: no prose, no code fence.\n" +
                   (text.size() <= longest_shown ? text : validator_->summary());
    if (schema.value("type", json()) == "object") schema_.schema = std::move(text);
}
AnswerForm::~AnswerForm() = default;
std::shared_ptr<const AnswerForm> AnswerForm::from_file(const std::string& path) {
    const auto refuse = [&path](const std::string& why) {
        throw Error(Code::configuration, "the schema in " + path + " cannot be used: " + why);
    };
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) refuse("the file cannot be read");
    const auto text = read_file(path, largest_schema);
    if (!text) refuse("the file cannot be read");
    if (text->size() > largest_schema) refuse("the file is larger than 256 KB");
    try {
        return std::make_shared<const AnswerForm>(parse_json(*text));
    } catch (const Error& error) { refuse(error.what()); }
    return nullptr;
}

AnswerForm::FormValue AnswerForm::read(std::string_view text) const {
    text = trimmed(text);
    if (text.empty()) return {.mistake = "it is empty"};
    FormValue read;
    try {
        read.value = parse(text);
        read.mistake = validator_->mistake(read.value);
    } catch (const Error& error) { read.mistake = std::string("it is not JSON: ") + error.what(); }
    return read;
}

json closed_schema(json schema) {
    if (schema.is_array())
        for (auto& inner : schema) inner = closed_schema(std::move(inner));
    if (!schema.is_object()) return schema;
    for (auto& [key, inner] : schema.items())
        if (key != "default" && key != "enum") inner = closed_schema(std::move(inner));
    if (schema.value("type", json()) != "object" || !schema.contains("properties")) return schema;
    auto required = json::array();
    for (const auto& [name, property] : schema["properties"].items()) {
        property.erase("default");
        required.push_back(name);
    }
    schema["required"] = std::move(required);
    if (!schema.contains("additionalProperties")) schema["additionalProperties"] = false;
    return schema;
}
}
