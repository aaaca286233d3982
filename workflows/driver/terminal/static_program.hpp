// A driver without shared libraries, as the tarball and the npm package have it. It may load no module of the system
// that it runs on: the module belongs to another glibc or OpenSSL, and would crash it.
#pragma once

namespace weft::driver {
#ifdef WEFT_STATIC
inline constexpr bool is_static_program = true;
#else
inline constexpr bool is_static_program = false;
#endif

/// To be called before threads, names and TLS are used. Does nothing in a driver with shared libraries.
void prepare_static_program();
}
