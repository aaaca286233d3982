// A published event, in a separate box, because it may outlive its run.
#pragma once
#include "engine/core/data/recycler.hpp"
#include "engine/core/graph/role.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/text/name.hpp"
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#pragma GCC visibility push(default)  // one type in all shared libraries of a program
namespace weft::core {
struct Published;
struct PublishedType {  // its address identifies the type
    std::string_view name;
    const void* id;  // identifies the C++ type
    void (*destroy)(Published*);
    const void* (*event)(const Published*);
    const json_detail::Shape* shape;  // null without a description
    bool is_stop;
};
/// The run that an event comes from, shared by its events: for a run with its own id, and for each child.
struct Sender {
    std::string run;
    std::string path;  // the steps from the root run to it; empty: the root run
};
struct Published {
    const PublishedType* type;
    Published* next;
    QuestionId question;                             // for a question
    std::uint64_t number = 0;                        // number within the run
    std::shared_ptr<const Sender> sender = nullptr;  // null if the number is enough
    void destroy() { type->destroy(this); }
    template <class E> struct Of;
};
template <class E> struct Published::Of : Published, Recycled {
    static_assert(alignof(E) <= alignof(std::max_align_t), "an event of the stream is aligned to at most 16 bytes");
    E event;
    static constexpr PublishedType of_type{
        type_name<E>,
        type_id<E>,
        [](Published* p) { delete static_cast<Of*>(p); },
        [](const Published* p) -> const void* { return std::addressof(static_cast<const Of*>(p)->event); },
        json_detail::shape_if_any<E>(),
        core::is_stop<E>};
    explicit Of(E e, QuestionId q = QuestionId::none) : Published{&of_type, nullptr, q}, event(std::move(e)) {}
};
struct DestroyPublished {
    void operator()(Published* p) const { p->destroy(); }
};
using PublishedBox = std::unique_ptr<Published, DestroyPublished>;
}
#pragma GCC visibility pop
