// Streams a reflection while the model writes it, as ReflectionDeltaEvents, which together are the text of the
// following ReflectionEvent. A label before the reflection and foreign words at its end are not streamed, so a text
// that may be either waits until this is decided.
//
//     ReflectionStream stream(ctx, inquiry.sub_question);
//     ... stream.hear(delta) ... stream.tell(text)
#pragma once
#include "engine/context.hpp"
#include <string>

namespace weft::agents::inline reflect_steps {
class ReflectionStream {
public:
    ReflectionStream(Context& ctx, int sub_question) : ctx_(ctx), sub_question_(sub_question) {}
    void hear(std::string_view delta);
    /// Restarts with the reply: the deltas so far are void.
    void begin_anew();
    /// Streams the rest of the text, in the end of the whole reflection.
    void tell(std::string_view text);

private:
    Context& ctx_;
    const int sub_question_;
    std::string heard_;     // without leading blanks
    std::size_t next_ = 0;  // size of heard_ for the next check
    std::string told_;
};
}
