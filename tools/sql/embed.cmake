# cmake -DIN=FILE -DOUT=SOURCE -DNAME=name -P embed.cmake: a source that holds the bytes of a file, as
# `extern const unsigned char weft::tools::name[]` and `extern const std::size_t weft::tools::name_size`.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REPEAT "." 80 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include <cstddef>
namespace weft::tools {
extern const unsigned char ${NAME}[];
extern const std::size_t ${NAME}_size;
const unsigned char ${NAME}[] = {
${bytes}};
const std::size_t ${NAME}_size = sizeof ${NAME};
}
")
