#include "engine/run.hpp"
#include "workflows/hello.hpp"
#include <doctest/doctest.h>
using namespace weft;

TEST_CASE("hello greets whoever is named, and the world if nobody is") {
    CHECK(run(workflows::hello, {.text = "Ada"}).text == "Hello, Ada!");
    CHECK(run(workflows::hello, {}).text == "Hello, World!");
}
