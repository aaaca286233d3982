// Tells a reflection while the model writes it: as ReflectionDeltaEvent, in pieces that together are the text of the
// ReflectionEvent that follows. A label before it and words at its end that are no part of it are not told: so what may
// turn out to be one of these comes when that is known.
//
//     ReflectionStream stream(ctx, inquiry.sub_question);
//     ... stream.hear(delta) ... stream.finish(text)
#pragma once
#include "engine/context.hpp"
#include <string>

namespace weft::agents::inline reflect_steps {
class ReflectionStream {
public:
    ReflectionStream(Context& ctx, int sub_question) : ctx_(ctx), sub_question_(sub_question) {}
    void hear(std::string_view delta);
    /// The reply begins anew: what was told of it is void.
    void begin_anew();
    /// The reflection as it is: what of it was not told yet is told now.
    void finish(std::string_view text);

private:
    void tell(std::string_view text);  // streams the rest of the text
    Context& ctx_;
    const int sub_question_;
    std::string heard_;     // without blanks before it
    std::size_t next_ = 0;  // it is looked at again when it is so long
    std::string told_;
};
}
