// Four blanks of indentation, because models copy the form that they see.
#include "steps/react/example.hpp"
#include "steps/react/call_expression.hpp"
#include "steps/react/literals.hpp"

namespace weft::steps {
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
