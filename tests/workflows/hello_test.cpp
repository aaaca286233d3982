#include "engine/run.hpp"
#include "workflows/hello.hpp"
#include <doctest/doctest.h>
using namespace weft;

TEST_CASE("hello greets the given name, or the world without a name") {
    CHECK(run(workflows::hello, {.text = "Ada"}).text == "Hello, Ada!");
    CHECK(run(workflows::hello, {}).text == "Hello, World!");
}
