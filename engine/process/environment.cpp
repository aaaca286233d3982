// A list of what is passed on, not of what is held back: keys are in variables of any name.
#include "engine/process/environment.hpp"
#include <cstdlib>

namespace weft::process {
Environment basic_environment() {
    Environment environment;
    for (const char* name : {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}) {
        const char* value = std::getenv(name);
        // A value that begins with "()" is a function of a shell, and is left out.
        if (value && !std::string_view(value).starts_with("()")) environment[name] = value;
    }
    return environment;
}
}
