// Without a name it greets the world.
#include "steps/hello/greet.hpp"

namespace weft::steps {
GreetingEvent greet(Context&, NameEvent name) {
    return {.text = "Hello, " + (name.text.empty() ? "World" : name.text) + "!"};
}
}
