// An event of a run's stream, for readers and observers.
//
//     if (auto* failed = event.get_if<RunFailedEvent>()) std::cout << failed->step << '\n';
//     if (!event.path().empty()) std::cout << "of a child: " << event.path() << ", " << event.run() << '\n';
// to_json(event) of engine/event_json.hpp converts each event of a described type to JSON.
#pragma once
#include "engine/core/data/published.hpp"
#include "engine/core/loop/private_access.hpp"
#include "engine/event.hpp"

namespace weft {
/// An event of the stream, of any type.
class AnyEvent {
public:
    explicit AnyEvent(core::Published* p) : box_(p) {}
    explicit AnyEvent(core::PublishedBox p) : box_(std::move(p)) {}
    std::string_view name() const { return box_->type->name; }  // its type's, without namespace: "DecisionEvent"
    const core::PublishedType& type() const { return *box_->type; }
    const void* data() const { return box_->type->event(box_.get()); }  // points to the event, an object of type()
    /// The id by which send() answers this question; none for other events.
    QuestionId question() const { return box_->question; }
    /// The id of the run that streamed the event: the run that is read, or one of its descendants. A child of a stored
    /// run keeps its id when the run is resumed.
    std::string run() const;
    /// The path of steps from the run that is read to the run that streamed the event: "plan/search". Empty for the run
    /// itself. Children that the same step runs have the same path; run() distinguishes them.
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
