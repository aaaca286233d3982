// An event that has left a run, or will: a box of its own, because it may outlive the run.
#pragma once
#include "engine/context.hpp"
#include "engine/reducer.hpp"
#include <utility>

namespace weft {
struct Published {
    const std::string_view* name;  // its address identifies the type
    void (*destroy)(Published*);
    Published* next;
    QuestionId question;  // if the event is one
    template <class E> struct Of;
};
template <class E> struct Published::Of : Published, Recycled {
    static_assert(alignof(E) <= alignof(std::max_align_t), "an event of the stream is aligned to at most 16 bytes");
    E event;
    explicit Of(E e, QuestionId q = QuestionId::none)
        : Published{&type_name<E>, [](Published* p) { delete static_cast<Of*>(p); }, nullptr, q}, event(std::move(e)) {}
};
template <class E> void Context::stream(E event) {
    if (run_) run_->publish(new Published::Of<E>(std::move(event)));
}
}
