// Most runs are known by a number, of which their id is made when somebody asks for it.
#include "engine/any_event.hpp"
#include "engine/core/record.hpp"

namespace weft {
std::string AnyEvent::run() const { return box_->sender ? box_->sender->run : core::hex(box_->number); }
}
