// The reason of a program's end, as each language writes it between the lines of its stack.
#include "tools/mcp/client/stderr_tail.hpp"
#include <doctest/doctest.h>
using namespace weft::tools;

namespace {
std::string words(const std::string& errors) { return mcp::stderr_tail(errors, 400); }
}

TEST_CASE("an error quotes the reason, and no line of a stack") {
    CHECK(words("node:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\n"
                "Error: Cannot find module 'server.js'\n"
                "    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15)\n"
                "    at node:internal/main/run_main_module:28:49 {\n  code: 'MODULE_NOT_FOUND',\n"
                "  requireStack: []\n}\n\nNode.js v20.11.0\n")
              .starts_with("Error: Cannot find module 'server.js'\n"));
    CHECK(words("starting\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n"
                "    import mcp\nModuleNotFoundError: No module named 'mcp'\n") ==
          "ModuleNotFoundError: No module named 'mcp'\n");
    CHECK(
        words("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'A'\n\nDuring handling of "
              "the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "
              "\"a.py\", line 3, in <module>\npydantic_core._pydantic_core.ValidationError: 1 validation error\n"
              "api_key\n  Field required\n") ==
        "pydantic_core._pydantic_core.ValidationError: 1 validation error\napi_key\n  Field required\n");
    CHECK(words("Exception in thread \"main\" java.lang.RuntimeException: no\n\tat a.B.main(B.java:3)\n"
                "Caused by: java.io.IOException: no port\n\tat a.C.open(C.java:9)\n\t... 1 more\n") ==
          "Caused by: java.io.IOException: no port\n");
    CHECK(words("panic: no token\n\ngoroutine 1 [running]:\nmain.main()\n\tmain.go:5 +0x1d\nexit status 2\n")
              .starts_with("panic: no token\n"));
    CHECK(words("a.rb:1:in `require': cannot load such file -- mcp (LoadError)\n\tfrom a.rb:1:in `<main>'\n") ==
          "a.rb:1:in `require': cannot load such file -- mcp (LoadError)\n");
    CHECK(words("npm error code E404\nnpm error 404 Not Found - GET https://r/x\n"
                "npm error A complete log of this run can be found in: /l\n") ==
          "npm error code E404\nnpm error 404 Not Found - GET https://r/x\n");
}
TEST_CASE("an error without a reason quotes as many last lines as have room") {
    CHECK(words("") == "");
    CHECK(words("one\ntwo\n") == "one\ntwo\n");
    CHECK(words(std::string(1000, 'x')).size() == 401);
    CHECK(mcp::stderr_tail("first\n" + std::string(398, 'y') + "\nlast\n", 400) == "last\n");
}
