// What a prompt of the function-call dialect shows a model of the replies that it wants.
//
//     auto example = Example::from_call("Now the product.", "multiply", R"({"a": 3, "b": 4})");
//     example.action;      // multiply(a=3, b=4)
//     example.text();      // the JSON object of such a reply, quoted as it has to be
#pragma once
#include <string>
#include <string_view>

namespace weft::agents {
struct Example {
    std::string thought;  // may be empty
    std::string action;   // a call
    /// `arguments` are JSON text of an object. Throws Error{bad_json}.
    static Example from_call(std::string thought, std::string_view tool, std::string_view arguments);
    std::string text() const;
};
}
