// Without a name, the step greets the world.
#include "workflows/hello_steps.hpp"

namespace weft::workflows {
GreetingEvent greet(Context&, NameEvent name) {
    return {.text = "Hello, " + (name.text.empty() ? "World" : name.text) + "!"};
}
}
