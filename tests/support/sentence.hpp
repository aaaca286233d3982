// Returns the message of the error that a call throws, and checks its code.
//
//     CHECK(sentence(Code::bad_json, [&] { parse_json("{"); }) == "...");
#pragma once
#include "engine/error.hpp"
#include <doctest/doctest.h>
#include <string>

namespace weft::testing {
inline constexpr auto nothing_thrown = "nothing was thrown";
std::string sentence(Code code, auto&& act) {
    try {
        act();
    } catch (const Error& error) {
        CHECK(error.code() == code);
        return error.what();
    }
    return nothing_thrown;
}
}
