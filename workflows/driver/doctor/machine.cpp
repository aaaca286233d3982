// The locale is read without setting it, because other threads use the process's own.
#include "engine/net/tls.hpp"
#include "workflows/driver/doctor/finding.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/static_program.hpp"
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::driver {
namespace {
using enum FindingMark;

/// The encoding of the user's locale; empty if the system lacks the locale.
std::string encoding() {
    if (is_static_program) return "UTF-8";  // whatever LANG says: it takes no locale of the system
    const auto locale = ::newlocale(LC_CTYPE_MASK, "", locale_t());
    if (!locale) return {};
    std::string name = ::nl_langinfo_l(CODESET, locale);
    ::freelocale(locale);
    return name;
}
}
Findings check_certificates() {
    try {
        return {{.about = "certificates", .text = "authorities are in " + net::trusted_place()}};
    } catch (const Error& error) {  // the sentence has the cure; the server of an https model blocks by itself
        return {{.about = "certificates", .mark = wrong, .text = error.what()}};
    }
}
Findings check_libpq() {
    if (is_static_program) return {{.about = "libpq", .text = "is a part of this driver, for stores in PostgreSQL"}};
    if (auto* const library = ::dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL)) {
        ::dlclose(library);
        return {{.about = "libpq", .text = "is there, for stores in PostgreSQL"}};
    }
    return {{.about = "libpq",
             .mark = missing,
             .text = "cannot be loaded",
             .cure = "install libpq5 if you want to keep runs in PostgreSQL"}};
}
Findings check_terminal() {
    Findings all;
    const bool whole = ::isatty(STDIN_FILENO) && ::isatty(STDOUT_FILENO);
    all.push_back({.about = "terminal",
                   .text = !whole ? "standard input or output is not a terminal, so no conversation and no colours"
                                  : std::to_string(columns_of_output()) + " columns, " +
                                        (wants_colour(STDOUT_FILENO) ? "colours" : "no colours")});
    const auto name = encoding();
    if (name == "UTF-8") all.push_back({.about = "locale", .text = "UTF-8"});
    else
        all.push_back({.about = "locale",
                       .mark = wrong,
                       .text = name.empty() ? "this system lacks the locale of LC_ALL, LC_CTYPE or LANG"
                                            : "texts are in UTF-8, and the terminal expects " + name,
                       .cure = "export LANG=C.UTF-8, and unset LC_ALL"});
    return all;
}
Findings check_clock() {
    struct stat program {};
    const auto now = std::time(nullptr);
    char text[32] = {};
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    if (::stat("/proc/self/exe", &program) == 0 && now + 24 * 3600 < program.st_mtime)
        return {{.about = "clock",
                 .mark = wrong,
                 .text = std::string(text) + " is before the time of this program's file, so certificates will not "
                                             "be valid",
                 .cure = "set the clock"}};
    return {{.about = "clock", .text = text}};
}
}
