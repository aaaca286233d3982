// Modules that glibc would load: sources of names, by /etc/nsswitch.conf. OpenSSL would load providers by openssl.cnf.
#include "workflows/driver/terminal/static_program.hpp"
#ifdef WEFT_STATIC
#include <cstdlib>
#include <initializer_list>
#include <nss.h>
#include <openssl/crypto.h>
#endif

namespace weft::driver {
void prepare_static_program() {
#ifdef WEFT_STATIC
    __nss_configure_lookup("hosts", "files dns");
    for (const char* database : {"passwd", "group", "services", "protocols", "networks"})
        __nss_configure_lookup(database, "files");
    // Debian's places, and those of others for libedit's description of the terminal.
    ::setenv("TERMINFO_DIRS", "/etc/terminfo:/lib/terminfo:/usr/share/terminfo:/usr/lib/terminfo", 0);
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
#endif
}
}
