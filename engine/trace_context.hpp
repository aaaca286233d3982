// Which trace a run or a request belongs to: the two headers of the W3C recommendation "Trace Context".
//
//     RunOptions options;
//     if (is_traceparent(header)) options.traceparent = header;      // an engine ignores what is none, too
//
// They come from whoever calls, so they are trusted in nothing: what is not well-formed, or longer than the bounds, is
// no trace context. What passes here can be sent on as a header: it has no control characters.
#pragma once
#include <string>
#include <string_view>

namespace weft {
struct TraceContext {
    std::string traceparent, tracestate;
};
/// 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, lower case, with neither id all zero. Of a later version it may
/// be, but not longer.
bool is_traceparent(std::string_view) noexcept;
/// At most 512 printable characters of ASCII.
bool is_tracestate(std::string_view) noexcept;
}
