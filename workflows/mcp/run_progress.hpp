// Describes an event of a run in one line of progress.
//
//     if (auto text = progress_text(event); !text.empty()) call.progress(++count, {}, text);
#pragma once
#include <string>

namespace weft {
class AnyEvent;
}
namespace weft::mcp_server {
/// Empty for pieces of texts, terminal events and events of idle runs.
std::string progress_text(const AnyEvent&);
}
