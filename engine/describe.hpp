// The macros that describe structs and enums, and nothing else: it takes 20 ms to include.
//
//     struct ToolCallEvent { std::string id, tool; JsonText arguments; };
//     BOOST_DESCRIBE_STRUCT(ToolCallEvent, (), (id, tool, arguments))        // in the namespace of the type
//     enum class Unit { metre, foot };
//     BOOST_DESCRIBE_ENUM(Unit, metre, foot)
// The macro, right after the type, enables JSON, JSON Schema and tool schemas (engine/json.hpp, for .cpp files).
#pragma once
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
