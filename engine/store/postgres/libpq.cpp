// Loads libpq by the name of its package's library since PostgreSQL 8.2, and never unloads it.
#include "engine/store/postgres/libpq.hpp"
#ifndef WEFT_STATIC
#include "engine/error.hpp"
#include <dlfcn.h>
#include <string>

namespace weft::storage {
void* find_in_libpq(const char* name) {
    auto* const library = dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL);  // the first call loads it, later calls find it
    if (auto* const function = library ? dlsym(library, name) : nullptr) return function;
    const char* const reason = dlerror();
    throw Error(Code::configuration, std::string("a store in PostgreSQL needs libpq (Debian's package libpq5), which "
                                                 "cannot be loaded: ") +
                                         (reason ? reason : "no reason given"));
}
}
#endif
