// The names of the codes in events, logs and JSON, from the enum's description.
#include "engine/error.hpp"
#include <boost/describe/enum_to_string.hpp>

namespace weft {
std::string_view name(Code code) noexcept { return boost::describe::enum_to_string(code, "unknown"); }
}
