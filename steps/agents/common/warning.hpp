// A warning that any step may stream: an incident after which the run continues.
#pragma once
#include "engine/describe.hpp"
#include <string>

namespace weft::agents {
struct WarningEvent {
    std::string text;  // a sentence for people
};
BOOST_DESCRIBE_STRUCT(WarningEvent, (), (text))
}
