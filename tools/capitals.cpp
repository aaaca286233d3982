// Names are compared in one spelling; tools/countries.hpp has the table.
#include "tools/capitals.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/countries.hpp"
#include "tools/make_tool.hpp"
#include <unordered_map>

namespace weft::tools {
namespace {
// One spelling for equal names: small letters without accents, '-' as a blank, '&' as "and", no dots, no leading
// article, single blanks.
std::string folded(std::string_view name) {
    // capital letters from U+00C0 to U+00DF; the small ones are 32 further
    constexpr std::string_view latin = "aaaaaaaceeeeiiiidnooooo ouuuuyts";
    std::string all;
    auto put = [&](char c) {
        if (c != ' ' || (!all.empty() && all.back() != ' ')) all += c;
    };
    for (std::size_t i = 0; i < name.size(); ++i) {
        auto c = static_cast<unsigned char>(name[i]);
        auto next = i + 1 < name.size() ? static_cast<unsigned char>(name[i + 1]) : 0u;
        if (c == 0xC3 && (next & 0xC0u) == 0x80u) put(latin[next & 0x1Fu]), ++i;
        else if ((c == 0xCC || (c == 0xCD && next < 0xB0)) && next >= 0x80) ++i;  // a combining accent
        else if (name.substr(i).starts_with("\xE2\x80\x99")) put('\''), i += 2;   // an apostrophe
        else if (is_upper(c)) put(lower(char(c)));
        else if (c == '-' || c == '_' || c == ' ' || c == '\t' || c == '\n' || c == '\r') put(' ');
        else if (c == '&') all += "and";
        else if (c != '.') all += char(c);
    }
    while (all.ends_with(' ')) all.pop_back();
    if (all.starts_with("the ")) all.erase(0, 4);
    return all;
}

std::unordered_map<std::string, std::string_view> make_index() {
    std::unordered_map<std::string, std::string_view> index;
    for (auto& country : countries) {
        index.emplace(folded(country.name), country.capital);
        for (auto rest = country.aliases; !rest.empty();) {
            auto end = std::min(rest.find(';'), rest.size());
            index.emplace(folded(rest.substr(0, end)), country.capital);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return index;
}
}

std::string_view capital_of(std::string_view country) {
    static const auto index = make_index();
    if (country.size() <= 200)
        if (auto found = index.find(folded(country)); found != index.end()) return found->second;
    throw ToolError("unknown country '" + repair_utf8(utf8_cut(country, 60)) +
                    "': give the whole English name of one country, for example Spain or United States");
}

std::shared_ptr<Tool> get_country_capitals() {
    auto run = [](const std::string& country) { return std::string(capital_of(country)); };
    return make_tool("get_country_capitals", "Tells the capital of a country, given the country's name in English.",
                     run, {"country"});
}
}
