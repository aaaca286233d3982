// A reply in the react dialect.
#include "tests/fuzz/parser_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    return weft::agents::try_parser(weft::agents::react_grammar, data, size);
}
