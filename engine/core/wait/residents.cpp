// A resident may spawn or remove others while it is told, so the list is taken apart from its front, one lock each.
#include "engine/core/wait/residents.hpp"

namespace weft::core {
boost::asio::execution_context::id Residents::id;

void Residents::add(Resident& r) {
    std::lock_guard lock(mutex_);
    r.next_ = first_;
    if (first_) first_->back_ = &r.next_;
    r.back_ = &first_;
    first_ = &r;
}
void Residents::remove(Resident& r) {
    std::lock_guard lock(mutex_);
    if (!r.back_) return;
    *r.back_ = r.next_;
    if (r.next_) r.next_->back_ = r.back_;
    r.back_ = nullptr;
}
void Residents::shutdown() {
    for (;;) {
        Resident* r = nullptr;
        {
            std::lock_guard lock(mutex_);
            r = first_;
            if (!r) return;
            first_ = r->next_;
            if (first_) first_->back_ = &first_;
            r->back_ = nullptr;
        }
        r->context_goes();
    }
}
}
