// An event of a run's stream, as a reader or an observer gets it.
//
//     if (auto* failed = event.get_if<RunFailedEvent>()) std::cout << failed->step << '\n';
//     if (!event.path().empty()) std::cout << "of a child: " << event.path() << ", " << event.run() << '\n';
// to_json(event) of engine/event_json.hpp converts it to JSON, whatever its type is, if that type is described.
#pragma once
#include "engine/core/data/published.hpp"
#include "engine/core/loop/private_access.hpp"
#include "engine/event.hpp"

namespace weft {
/// An event of the stream, of whatever type.
class AnyEvent {
public:
    explicit AnyEvent(core::Published* p) : box_(p) {}
    explicit AnyEvent(core::PublishedBox p) : box_(std::move(p)) {}
    std::string_view name() const { return box_->type->name; }
    const core::PublishedType& type() const { return *box_->type; }
    const void* data() const { return box_->type->event(box_.get()); }  // of that type
    /// Of a question: what send() takes to answer this one.
    QuestionId question() const { return box_->question; }
    /// The id of the run that has streamed it: of the run that is read, or of a child of it, or of a child's child. A
    /// child of a stored run keeps its id when the run is resumed.
    std::string run() const;
    /// The steps that lead from the run that is read to the one that has streamed it: "plan/search". Empty if that is
    /// the same run. Children that one step runs have the same path: run() tells them apart.
    std::string_view path() const { return box_->sender ? std::string_view(box_->sender->path) : std::string_view(); }
    template <class E> const E* get_if() const {
        return box_->type == &core::Published::Of<E>::of_type
                   ? &static_cast<const core::Published::Of<E>*>(box_.get())->event
                   : nullptr;
    }

private:
    friend struct core::PrivateAccess;
    core::Published* release() { return box_.release(); }
    core::PublishedBox box_;
};
}
