// What a page says, without how it looks: for models, which have no use for markup.
//
//     html_text("<h1>Tea</h1><p>is <b>hot</b> &amp; wet")         // "Tea\n\nis hot & wet"
//
// Tags go, blocks become lines, items of lists begin with "- ", white space is folded but in <pre>; scripts, styles and
// comments go with all that is in them. No tree is built and nothing is mended: any bytes are taken, in time linear in
// their number. The result is valid UTF-8.
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
std::string html_text(std::string_view page);
}
