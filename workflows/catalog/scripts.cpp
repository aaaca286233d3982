// The build puts the texts into the program; they are parsed at their first use.
#include "workflows/catalog/scripts.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "workflows/catalog/script_texts.hpp"
#include <algorithm>

namespace weft::catalog {
const std::vector<models::Script>& bundled_scripts() {
    static const auto scripts = [] {
        std::vector<models::Script> all;
        for (const auto& [name, text] : script_texts())
            all.push_back(models::Script::from_json(text, std::string(name)));
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        return all;
    }();
    return scripts;
}
const models::Script& bundled_script(std::string_view name) {
    for (const auto& script : bundled_scripts())
        if (script.name == name) return script;
    throw Error(Code::usage, "there is no script \"" + std::string(name) + "\"; there are " +
                                 with_commas(bundled_scripts(), &models::Script::name) +
                                 ", and any file whose path has a slash");
}
models::Script find_script(const std::string& name) {
    return name.find('/') == name.npos ? bundled_script(name) : models::Script::from_file(name);
}
}
