// A list of the variables to pass, because keys may be in variables of any name.
#include "engine/process/environment.hpp"
#include <cstdlib>

namespace weft::process {
Environment basic_environment() {
    Environment environment;
    for (const char* name : {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}) {
        const char* value = std::getenv(name);
        // A value that begins with "()" is a shell function, and is omitted.
        if (value && !std::string_view(value).starts_with("()")) environment[name] = value;
    }
    return environment;
}
}
