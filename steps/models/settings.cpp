// An empty variable counts as unset. Messages name lines of the file by number, never by content.
#include "steps/models/settings.hpp"
#include "engine/error.hpp"
#include "engine/text/file_access.hpp"
#include "engine/text/read_file.hpp"
#include "steps/models/dotenv.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace weft::models {
namespace {
constexpr std::size_t largest_file = 64 * 1024, most_named = 5;

std::string describe(const std::string& file, const std::vector<int>& lines) {
    if (lines.empty()) return {};
    std::string numbers;
    const auto named = std::min(lines.size(), most_named);
    for (std::size_t i = 0; i < named; ++i) {
        if (i) numbers += i + 1 == lines.size() ? " and " : ", ";
        numbers += std::to_string(lines[i]);
    }
    if (lines.size() > named) numbers += " and " + std::to_string(lines.size() - named) + " more";
    return file + ": " + (lines.size() == 1 ? "line " + numbers + " is" : "lines " + numbers + " are") +
           " left out: write NAME=value, with two quotes around the value or none";
}
bool is_secret(const std::string& name) {
    constexpr std::array<std::string_view, 4> words{"KEY", "TOKEN", "SECRET", "PASSWORD"};
    return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; });
}
}

Settings Settings::of_process(const std::string& file) {
    Settings settings;
    settings.process_ = true;
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) return settings;  // a device or a pipe might never end
    const auto text = read_file(file, largest_file);
    if (!text) throw Error(Code::configuration, file + " cannot be read: check its permissions");
    if (text->size() > largest_file)
        throw Error(Code::configuration, file + " is larger than 64 KB: settings are NAME=value lines, a few of them");
    auto parsed = parse_dotenv(*text);
    settings.file_ = std::move(parsed.values);
    settings.oddities_ = describe(file, parsed.odd_lines);
    const auto has_value = [](const auto& each) { return is_secret(each.first) && !each.second.empty(); };
    if (std::ranges::any_of(settings.file_, has_value) && others_can_open(file))
        settings.exposure_ = file + " can be read by other users of this machine: chmod 600 keeps its keys secret";
    return settings;
}
std::optional<std::string> Settings::get(std::string_view name) const {
    if (process_) {
        const char* value = std::getenv(std::string(name).c_str());
        if (value && *value) return value;
    }
    for (const auto* variables : {&environment_, &file_})
        if (const auto at = variables->find(name); at != variables->end() && !at->second.empty()) return at->second;
    return {};
}
}
