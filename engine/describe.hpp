// What a header needs to describe its structs and enums, and nothing more: it costs a fiftieth of a second to include.
//
//     struct ToolCallEvent { std::string id, tool; JsonText arguments; };
//     BOOST_DESCRIBE_STRUCT(ToolCallEvent, (), (id, tool, arguments))        // in the namespace of the type
//     enum class Unit { metre, foot };
//     BOOST_DESCRIBE_ENUM(Unit, metre, foot)
// That line, right after the struct, makes JSON, JSON Schema and tool schemas possible (engine/json.hpp, for .cpp
// files).
#pragma once
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
