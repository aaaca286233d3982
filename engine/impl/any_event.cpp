// Most runs have only a number, from which run() makes the id on demand.
#include "engine/any_event.hpp"
#include "engine/core/record.hpp"

namespace weft {
std::string AnyEvent::run() const { return box_->sender ? box_->sender->run : core::hex(box_->number); }
}
