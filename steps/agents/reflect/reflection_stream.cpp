// Every few bytes the text so far is read again. Only text that the end of the reply cannot change is streamed.
#include "steps/agents/reflect/reflection_stream.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/reflect/events.hpp"
#include "steps/agents/reflect/replies.hpp"

namespace weft::agents::inline reflect_steps {
namespace {
constexpr std::size_t step = 8;                 // bytes between two checks
constexpr std::size_t longest_heard = 8 << 10;  // bytes; read_reflection cuts the rest
}

void ReflectionStream::hear(std::string_view delta) {
    if (heard_.size() > longest_heard) return;
    heard_ += heard_.empty() ? trimmed_front(delta) : delta;
    if (heard_.size() < next_ || heard_.size() > longest_heard) return;
    next_ = heard_.size() + step;
    tell(certain_reflection(std::string_view(heard_).substr(0, utf8_prefix(heard_))));
}
void ReflectionStream::begin_anew() {
    heard_.clear();
    told_.clear();
    next_ = 0;
}
void ReflectionStream::tell(std::string_view text) {
    if (text.size() <= told_.size() || !text.starts_with(told_)) return;
    ReflectionDeltaEvent event{sub_question_, std::string(text.substr(told_.size()))};
    told_ = text;
    ctx_.stream(std::move(event));
}
}
