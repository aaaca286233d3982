// `weft init`: writes a project of one workflow or one agent from the templates in workflows/driver/templates. The
// files come into a hidden folder, which then gets its name in one step: an error leaves nothing.
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/template_texts.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace weft::driver {
namespace {
namespace fs = std::filesystem;

// Targets of CMake, and files that it or ctest makes in the folder where the program comes.
constexpr std::string_view taken_names = " all clean command depend edit_cache help install list_install_components "
                                         "package package_source rebuild_cache test "
                                         "experimental nightly continuous cmakefiles makefile testing _deps ";

void check_name(const std::string& name) {
    const auto refuse = [&name](const std::string& why) {
        throw Error(Code::usage, '"' + name + "\" cannot be the name of a project: " + why);
    };
    if (name.find('/') != name.npos || name.starts_with('.'))
        refuse("give a name, not a path; the project comes into the working directory");
    const auto is_part = [](char c) { return is_word_part(c) || c == '-'; };
    if (is_digit(name[0])) refuse("it begins with a digit");
    if (!is_word_part(name[0]) || !std::ranges::all_of(name, is_part))
        refuse("write letters, digits, _ and -, with a letter in front");
    if (name.size() > 64) refuse("it is longer than 64 characters");
    const auto small = lower(name);
    if (taken_names.find(' ' + small + ' ') != taken_names.npos || small == "weft" || small.starts_with("weft_"))
        refuse("CMake or weft uses it itself; try my-" + name);
}
/// Refuses anything that is there, except an empty folder.
void check_place(const std::string& name) {
    std::error_code error;
    const auto found = fs::symlink_status(name, error);
    if (!fs::exists(found)) return;
    if (fs::is_directory(found) && fs::is_empty(name, error) && !error) return;
    throw Error(Code::usage, name +
                                 (fs::is_directory(found) ? " is there already, and not empty" : " is there already") +
                                 ": nothing was written; give another name, or remove it");
}
[[noreturn]] void refuse_write(const std::string& what, int error) {
    throw Error(Code::configuration, what + " cannot be written: " + std::strerror(error) +
                                         "; nothing was kept: go to a folder that this user can write to");
}
std::string filled_in(std::string_view text, const std::string& name) {
    constexpr std::string_view place = "@name@";
    std::string out;
    for (auto at = text.find(place); at != text.npos; at = text.find(place)) {
        (out += text.substr(0, at)) += name;
        text.remove_prefix(at + place.size());
    }
    return out.append(text);
}
/// A folder that is removed again, unless it has got its name.
class HiddenFolder {
public:
    explicit HiddenFolder(const std::string& name) : path_("." + name + ".XXXXXX") {
        if (!::mkdtemp(path_.data())) refuse_write("a folder in the working directory", errno);
    }
    ~HiddenFolder() {
        std::error_code none;
        if (!path_.empty()) fs::remove_all(path_, none);
    }
    HiddenFolder(const HiddenFolder&) = delete;
    void write(const std::string& file, const std::string& text) const {
        std::ofstream out(path_ + '/' + file, std::ios::binary);
        errno = 0;
        if (!out.write(text.data(), std::streamsize(text.size())).flush()) refuse_write(file, errno ? errno : EIO);
    }
    /// Fails if the name is taken meanwhile: rename() replaces only an empty folder.
    void name_it(const std::string& name) {
        const auto mask = ::umask(0);
        ::umask(mask);
        if (::chmod(path_.c_str(), 0777 & ~mask) != 0 || ::rename(path_.c_str(), name.c_str()) != 0)
            refuse_write(name, errno);
        path_.clear();
    }

private:
    std::string path_;
};

ExitCode write_project(const Choices& choices) {
    const auto& name = choices.project.name;
    check_name(name);
    check_place(name);
    const std::string kind = choices.project.agent ? "agent/" : "workflow/";
    HiddenFolder folder(name);
    for (const auto& [file, text] : template_texts())
        if (file.starts_with(kind)) folder.write(std::string(file.substr(kind.size())), filled_in(text, name));
    folder.name_it(name);
    const std::string run = choices.project.agent ? "WEFT_MODEL=script:./script.json build/" + name
                                                  : "build/" + name + " teapot 2";
    say(name +
        (choices.project.agent ? " has an agent with a tool, and its test" : " has a workflow, a tool and a test") +
        ". Build, test and run it, with g++, CMake and weft's libraries (libweft-dev):\n  cd " + name +
        "\n  cmake -B build && cmake --build build\n  ctest --test-dir build\n  " + run);
    return ExitCode::ok;
}
constexpr auto about_init = R"(The folder NAME must be absent or empty. README.md in it has the next steps.

  weft init shop
  weft init --agent helper
)";
}

DriverCommand init_command() {
    using enum OptionGroup;
    return {"init",
            "write a project with a tool and a test: a workflow, or by --agent an agent",
            {project},
            write_project,
            about_init};
}
}
