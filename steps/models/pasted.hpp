// Cleans addresses and keys that people paste with quotes, blanks, line breaks or invisible characters.
//
//     const auto key = pasted_key(" \"Bearer sk-...\"\n");                 // sk-...
//     refuse_odd(key, "OPENAI_API_KEY", "key");                           // rejects those inside
//
// Blanks and quotes at the ends are removed. Such a character inside is an error, which names its position and code
// point, never the characters beside it, which may be secret.
#pragma once
#include <string>
#include <string_view>

namespace weft::models {
/// Also removes punctuation behind the address, a variable's name before it, and a Markdown link around it.
std::string_view pasted_address(std::string_view);
/// Also removes a variable's name, header or scheme before the key, and a comment behind it.
std::string_view pasted_key(std::string_view);
/// Throws Error{configuration} that names the variable or option, for a character that is not printable ASCII, or a
/// blank in an address. `kind`: "key" or "address".
void refuse_odd(std::string_view text, std::string_view source, std::string_view kind);
}
