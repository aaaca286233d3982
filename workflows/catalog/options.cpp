// Reads files only up to a bound, because a name may lead to a file of any kind.
#include "workflows/catalog/options.hpp"
#include "engine/error.hpp"
#include "engine/text/read_file.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <filesystem>
#include <nlohmann/json.hpp>

namespace weft::catalog {
namespace {
constexpr std::size_t longest_system = 256 << 10;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string read_text(const std::string& option, const std::string& path) {
    std::error_code none;
    std::optional<std::string> text;
    if (!std::filesystem::is_directory(path, none)) text = read_file(path, longest_system);
    if (!text) throw Error(Code::configuration, option + ": the file " + path + " cannot be read");
    if (text->size() > longest_system)
        throw Error(Code::configuration, option + ": the file " + path + " is longer than 256 KB");
    return *text;
}
}

std::string system_text(const std::string& option) {
    return option.empty() || option[0] != '@' ? option : read_text("--system", option.substr(1));
}
std::optional<std::string> template_text(const AgentOptions& options) {
    if (options.template_file.empty()) return std::nullopt;
    auto text = read_text("--template", options.template_file);
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());  // some editors write it
    if (is_blank(text)) throw Error(Code::configuration, "--template: the file " + options.template_file + " is empty");
    return text;
}
JsonText values_of(const AgentOptions& options) {
    auto values = nlohmann::json::object();
    for (const auto& [name, text] : options.values)
        if (!values.emplace(name, text).second)
            throw Error(Code::usage, "--value " + excerpt(name, 60) + "=... is given twice: give each name once");
    return {values.empty() ? std::string() : values.dump()};
}
}
