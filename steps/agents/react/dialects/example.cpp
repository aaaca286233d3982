// Four blanks of indentation, because models copy the form that they see.
#include "steps/agents/react/dialects/example.hpp"
#include "steps/agents/common/literals.hpp"
#include "steps/agents/react/dialects/call_expression.hpp"

namespace weft::agents {
Example Example::from_call(std::string thought, std::string_view tool, std::string_view arguments) {
    return {std::move(thought), write_call(tool, arguments)};
}
std::string Example::text() const {
    std::string out = "{\n";
    if (!thought.empty()) {
        append_quoted(out += "    \"thought\": ", thought);
        out += ",\n";
    }
    append_quoted(out += "    \"action\": ", action);
    return out + "\n}";
}
}
