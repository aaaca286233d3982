// The macros that describe structs and enums, and nothing else: it takes 20 ms to include.
//
//     struct ToolCallEvent { std::string id, tool; JsonText arguments; };
//     BOOST_DESCRIBE_STRUCT(ToolCallEvent, (), (id, tool, arguments))        // in the namespace of the type
//     enum class Unit { metre, foot };
//     BOOST_DESCRIBE_ENUM(Unit, metre, foot)
// The macro, right after the type, enables JSON, JSON Schema and tool schemas (engine/json.hpp, for .cpp files).
#pragma once
#include <boost/version.hpp>
#include <version>

// Nearly every header includes this one, so an unsuitable compiler or library is refused here, in one sentence.
#if __cplusplus < 202002L
#error "weft needs C++20: compile with -std=c++20 or later"
#elif BOOST_VERSION < 108100
#error "weft needs Boost 1.81 or later: install it, or put its headers before the older ones with -I"
#elif !defined(__cpp_lib_jthread)
#error "weft needs std::stop_token: with libc++ 18 or later compile with -fexperimental-library, else use libstdc++"
#endif
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
