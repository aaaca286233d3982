// A reply in the langchain dialect: a continued thought, and bare arguments.
#include "tests/fuzz/parser_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    return weft::agents::try_parser(weft::agents::langchain_grammar, data, size);
}
