// Events and steps: one event of several types, a loop, a resource.
#include "engine/run.hpp"
#include <iostream>
using namespace weft;

// [events]
struct OrderEvent : StartEvent {
    std::string item;
    int count = 1;
};
struct PickEvent {
    std::string item;
    int left;
};
struct ReceiptEvent : StopEvent {
    std::string text;
};
// [/events]

// [resource]
class Shelf {
public:
    virtual ~Shelf() = default;
    virtual bool take(const std::string& item) = 0;
};
class SmallShelf : public Shelf {  // without a lock, because the program has one loop
public:
    bool take(const std::string& item) override {
        if (item != "cup" || cups_ == 0) return false;
        --cups_;
        return true;
    }

private:
    int cups_ = 2;
};
// [/resource]

// [steps]
std::variant<PickEvent, ReceiptEvent> receive(Context&, OrderEvent order) {
    if (order.count < 1) return ReceiptEvent{.text = "nothing to do"};
    return PickEvent{order.item, order.count};
}
std::variant<PickEvent, ReceiptEvent> pick(Context&, PickEvent pick, Shelf& shelf) {
    if (!shelf.take(pick.item)) return ReceiptEvent{.text = std::to_string(pick.left) + " missing"};
    if (pick.left > 1) return PickEvent{pick.item, pick.left - 1};
    return ReceiptEvent{.text = "complete"};
}
// [/steps]

// [workflow]
inline constexpr auto parcel = workflow("parcel", step<receive>, step<pick>);
// [/workflow]

int main() {
    // [run]
    SmallShelf shelf;
    auto bound = parcel.with(shelf);
    std::cout << run(bound, {.item = "cup", .count = 2}).text << '\n';
    std::cout << run(bound, {.item = "cup", .count = 2}).text << '\n';
    // [/run]
}
// prints:
// complete
// 2 missing
