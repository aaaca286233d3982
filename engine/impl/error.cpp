// The names of the codes, as events, logs and JSON show them: those of its description.
#include "engine/error.hpp"
#include <boost/describe/enum_to_string.hpp>

namespace weft {
std::string_view name(Code code) noexcept { return boost::describe::enum_to_string(code, "unknown"); }
}
