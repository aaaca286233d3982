// Addresses and keys as people paste them: with quotes, blanks, line breaks or characters around that cannot be seen.
//
//     const auto key = pasted_key(" \"Bearer sk-...\"\n");                 // sk-...
//     refuse_odd(key, "OPENAI_API_KEY", "key");                           // whatever is left inside
//
// Blanks and quotes around it are left out; inside, a character that none has is refused by its place and number, never
// by what stands beside it, which may be secret.
#pragma once
#include <string>
#include <string_view>

namespace weft::models {
/// Without a dot behind it, the name of a variable before it, or the marks of a link around it, too.
std::string_view pasted_address(std::string_view);
/// Without the name of a variable, header or scheme before it, or a comment behind it, too.
std::string_view pasted_key(std::string_view);
/// Throws Error{configuration} that names the variable or option, for the first character that is not plain ASCII, or
/// a blank in an address. `kind`: "key" or "address".
void refuse_odd(std::string_view text, std::string_view source, std::string_view kind);
}
