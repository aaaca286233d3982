// The only step of the smallest workflow.
//
//     Context ctx;
//     NameEvent name;
//     name.text = "World";
//     greet(ctx, name).text;      // "Hello, World!"
#pragma once
#include "engine/context.hpp"
#include "engine/describe.hpp"
#include "engine/event.hpp"

namespace weft::workflows {
struct NameEvent : StartEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(NameEvent, (), (text))

struct GreetingEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(GreetingEvent, (), (text))

GreetingEvent greet(Context&, NameEvent);
}
