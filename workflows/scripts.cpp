// The texts are put into the program when it is built, and read when they are first asked for.
#include "workflows/scripts.hpp"
#include "engine/error.hpp"
#include "workflows/script_texts.hpp"
#include <algorithm>

namespace weft::workflows {
const std::vector<llm::Script>& bundled_scripts() {
    static const auto scripts = [] {
        std::vector<llm::Script> all;
        for (const auto& [name, text] : script_texts()) all.push_back(llm::Script::from_json(text, std::string(name)));
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        return all;
    }();
    return scripts;
}
const llm::Script& bundled_script(std::string_view name) {
    std::string names;
    for (const auto& script : bundled_scripts()) {
        if (script.name == name) return script;
        (names += names.empty() ? "" : ", ") += script.name;
    }
    throw Error(Code::usage, "there is no script \"" + std::string(name) + "\"; there are " + names +
                                 ", and any file whose path has a slash");
}
}
