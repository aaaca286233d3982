// A name of any text has one form within its reserved room, and a comparison of two names does not depend on their
// order. Each name is a line.
#include "engine/core/stored_names.hpp"
#include "engine/text/name_text.hpp"
#include <algorithm>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace weft::core;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto end = std::min(text.find('\n'), size);
    const auto one = text.substr(0, end), other = text.substr(std::min(end + 1, size));
    if (same_from_every_compiler(one).size() > NameWriter::room(one.size())) std::abort();
    if (!are_one_name(one, one) || !may_be_one_step(one, one)) std::abort();
    if (are_one_name(one, other) != are_one_name(other, one)) std::abort();
    if (may_be_one_step(one, other) != may_be_one_step(other, one)) std::abort();
    return 0;
}
