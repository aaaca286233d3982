// A reply in the pause dialect: an action in one line, and PAUSE.
#include "tests/fuzz/parser_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    return weft::agents::try_parser(weft::agents::pause_grammar, data, size);
}
