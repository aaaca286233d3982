// The trace of a run or a request: the two headers of the W3C recommendation "Trace Context".
//
//     RunOptions options;
//     if (is_traceparent(header)) options.traceparent = header;      // an engine also ignores invalid values
//
// Callers set these headers, so they are untrusted: a malformed or overlong value is not a trace context. A valid value
// has no control characters, so code may send it on as a header.
#pragma once
#include <string>
#include <string_view>

namespace weft {
struct TraceContext {
    std::string traceparent,  // trace and parent, see is_traceparent(); empty: none
        tracestate;           // data of tracing systems, see is_tracestate(); empty: none
};
/// 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, lower case, with neither id all zero. The version may be later,
/// but the length is the same.
bool is_traceparent(std::string_view) noexcept;
/// At most 512 printable characters of ASCII.
bool is_tracestate(std::string_view) noexcept;
}
