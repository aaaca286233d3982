# Debian's cross compiler for arm64, with the libraries that packaging/static/libraries.sh has unpacked. The glibc and
# libstdc++ among them have Debian's security updates; those of the cross compiler itself are older, and not used.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_STATIC_LIBRARIES)
set(CMAKE_SYSROOT ${WEFT_STATIC_LIBRARIES}/sysroot)
set(usr ${CMAKE_SYSROOT}/usr)
set(gcc ${usr}/lib/gcc/aarch64-linux-gnu/12)
set(CMAKE_FIND_ROOT_PATH ${WEFT_STATIC_LIBRARIES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CXX_FLAGS_INIT "-ffile-prefix-map=${CMAKE_SYSROOT}= -nostdinc")
foreach(folder ${usr}/include/c++/12 ${usr}/include/aarch64-linux-gnu/c++/12 ${usr}/include/c++/12/backward
    ${gcc}/include ${usr}/include/aarch64-linux-gnu ${usr}/include)
  string(APPEND CMAKE_CXX_FLAGS_INIT " -isystem ${folder}")
endforeach()
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-B${gcc} -B${usr}/lib/aarch64-linux-gnu -L${gcc} -L${usr}/lib/aarch64-linux-gnu")
