# cmake -DIN=FILE -DOUT=SOURCE -DNAME=name -P embed.cmake: a source that holds the bytes of a file, as
# `extern const unsigned char weft::tools::name[]` and `extern const std::size_t weft::tools::name_size`.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include <cstddef>\nnamespace weft::tools {\nextern const unsigned char ${NAME}[];\nextern const std::size_t ${NAME}_size;\n"
  "const unsigned char ${NAME}[] = {\n${bytes}};\nconst std::size_t ${NAME}_size = sizeof ${NAME};\n}\n")
