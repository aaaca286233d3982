// What an event of a run says to whoever waits for the result of the run: one line, or nothing.
//
//     if (auto text = progress_text(event); !text.empty()) call.progress(++count, {}, text);
#pragma once
#include <string>

namespace weft {
class AnyEvent;
}
namespace weft::mcp_server {
/// Empty for pieces of texts, and for what says how a run ends or rests.
std::string progress_text(const AnyEvent&);
}
