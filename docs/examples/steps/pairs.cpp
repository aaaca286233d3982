// A join within a fan-out: parts are joined in the order of arrival, and a part without a partner is dropped.
#include "engine/run.hpp"
#include <iostream>
using namespace weft;

struct BasketEvent : StartEvent {
    std::vector<std::string> gloves;  // gloves for the left hand begin with "left"
};
struct LeftEvent {
    std::string glove;
};
struct RightEvent {
    std::string glove;
};
struct PairEvent {
    std::string text;
};
struct DrawerEvent : StopEvent {
    std::string text;
};
// [steps]
std::vector<std::variant<LeftEvent, RightEvent>> sort_out(Context&, BasketEvent basket) {
    std::vector<std::variant<LeftEvent, RightEvent>> all;
    for (auto& glove : basket.gloves) {
        if (glove.starts_with("left")) all.emplace_back(LeftEvent{glove});
        else all.emplace_back(RightEvent{glove});
    }
    return all;
}
PairEvent pair_up(Context&, LeftEvent left, RightEvent right) { return {left.glove + " + " + right.glove}; }
DrawerEvent put_away(Context&, std::vector<PairEvent> pairs) {
    std::string text = std::to_string(pairs.size()) + " pairs";
    for (auto& pair : pairs) text += "; " + pair.text;
    return {.text = text};
}
inline constexpr auto gloves = workflow("gloves", step<sort_out>, step<pair_up>, step<put_away>);
// [/steps]

int main() {
    // [run]
    std::cout << run(gloves, {.gloves = {"left 1", "left 2", "right 1", "left 3", "right 2"}}).text << '\n';
    std::cout << run(gloves, {.gloves = {"left 1", "left 2"}}).text << '\n';
    // [/run]
}
// prints:
// 2 pairs; left 1 + right 1; left 2 + right 2
// 0 pairs
