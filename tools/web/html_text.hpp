// The readable text of a page, for models, which need no markup.
//
//     html_text("<h1>Tea</h1><p>is <b>hot</b> &amp; wet")         // "Tea\n\nis hot & wet"
//
// Tags are removed, blocks become lines, list items begin with "- ", white space is folded except in <pre>; scripts,
// styles and comments are removed with their contents. There is no tree and no error: any bytes are accepted, in time
// linear in their number. The result is valid UTF-8.
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
std::string html_text(std::string_view page);
}
