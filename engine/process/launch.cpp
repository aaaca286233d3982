// posix_spawn suits a program with threads: it starts without a copy of the memory, reports a failed exec, and runs no
// code of this program between fork and exec.
#include "engine/process/launch.hpp"
#include "engine/error.hpp"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace weft::process {
namespace {
namespace fs = std::filesystem;

std::string said_by_system(int error) { return std::generic_category().message(error); }
[[noreturn]] void refuse(const Options& options, const std::string& why) {
    throw Error(Code::configuration, "the program \"" + options.command + "\" cannot be started: " + why);
}
void refuse_unfit_texts(const Options& options) {
    const auto check = [](const std::string& text, const char* what) {
        if (text.find('\0') != text.npos)
            throw Error(Code::usage, std::string(what) + " of a program has a zero byte in it: leave it out");
    };
    check(options.command, "the name");
    check(options.folder, "the folder");
    for (const auto& argument : options.arguments) check(argument, "an argument");
    for (const auto& [name, value] : options.environment) {
        check(name, "the name of a variable");
        check(value, "a variable");
        if (name.empty() || name.find('=') != name.npos)
            throw Error(Code::usage, "no variable of a program's environment can have the name \"" + name +
                                         "\": leave out the =, or give it a name");
    }
}
bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}
bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}
bool may_be_executed(const fs::path& path) { return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0; }
std::string search_path(const Options& options) {
    if (const auto given = options.environment.find("PATH"); given != options.environment.end()) return given->second;
    const char* ours = std::getenv("PATH");
    return ours ? ours : "/usr/local/bin:/usr/bin:/bin";
}
// Numbers below 3 belong to the standard streams, which may be closed here: dup2 in the child would mix them up.
Descriptor above_streams(Descriptor descriptor) {
    if (descriptor.number() > 2) return descriptor;
    return Descriptor(::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, 3));
}
struct Pipe {
    Descriptor read, write;
};
Pipe make_pipe(const Options& options) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) refuse(options, "no pipe: " + said_by_system(errno));
    Descriptor read(ends[0]), write(ends[1]);
    Pipe pipe{above_streams(std::move(read)), above_streams(std::move(write))};
    if (pipe.read.number() < 0 || pipe.write.number() < 0) refuse(options, "no pipe: " + said_by_system(errno));
    return pipe;
}
void never_block(const Descriptor& end) { ::fcntl(end.number(), F_SETFL, O_NONBLOCK | ::fcntl(end.number(), F_GETFL)); }

class Actions {
public:
    Actions() { ::posix_spawn_file_actions_init(&actions_); }
    Actions(const Actions&) = delete;
    ~Actions() { ::posix_spawn_file_actions_destroy(&actions_); }
    void become(const Descriptor& end, int stream) {
        note(::posix_spawn_file_actions_adddup2(&actions_, end.number(), stream));
    }
    void start_in(const std::string& folder) {
        if (!folder.empty()) note(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
    }
    void close_others() { note(::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1)); }
    int error() const { return error_; }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    void note(int error) { error_ = error_ ? error_ : error; }
    posix_spawn_file_actions_t actions_;
    int error_ = 0;
};
class Attributes {
public:
    Attributes() {
        ::posix_spawnattr_init(&attributes_);
        sigset_t none, all;
        ::sigemptyset(&none);
        std::memset(&all, 0xff, sizeof all);  // sigfillset omits two signals of glibc, which would stay ignored
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    Attributes(const Attributes&) = delete;
    ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
    const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_;
};
std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}
std::string why_not_started(int error) {
    switch (error) {
    case ENOENT: return "its first line names an interpreter that does not exist, or it needs a loader that is missing";
    case ENOEXEC: return "it is not a program of this machine; a script needs a first line such as #!/bin/sh";
    case E2BIG: return "its arguments and its environment are longer than the system allows";
    case EAGAIN: return "there are too many processes: " + said_by_system(error);
    default: return said_by_system(error);
    }
}
}

std::string find_program(const Options& options) {
    if (options.command.empty()) throw Error(Code::usage, "the name of a program is empty: name one");
    if (options.command.find('/') != options.command.npos) {
        const auto file = fs::absolute(fs::path(options.folder) / options.command);
        if (is_folder(file)) refuse(options, file.string() + " is a folder");
        if (!is_file(file)) refuse(options, "there is no file " + file.string());
        if (!may_be_executed(file)) refuse(options, file.string() + " is not executable: chmod +x makes it so");
        return file;
    }
    const auto path = search_path(options);
    std::string not_executable;
    for (std::size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find(':', begin), path.size());
        const auto folder = path.substr(begin, end - begin);
        begin = end + 1;
        // Other users may write to a relative folder of PATH.
        if (!folder.starts_with('/')) continue;
        const auto file = fs::path(folder) / options.command;
        if (!is_file(file)) continue;
        if (may_be_executed(file)) return file;
        not_executable = file;
    }
    if (!not_executable.empty()) refuse(options, not_executable + " is not executable: chmod +x makes it so");
    refuse(options, "it is in none of the folders of PATH (" + path + "): install it, or give its whole path");
}
LaunchedProcess launch(const Options& options) {
    refuse_unfit_texts(options);
    if (!options.folder.empty() && !is_folder(options.folder))
        refuse(options, "there is no folder " + options.folder + " to start it in");
    const auto file = find_program(options);
    std::vector<std::string> arguments{options.command}, environment;
    arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
    for (const auto& [name, value] : options.environment) environment.push_back(name + "=" + value);
    const auto argument_pointers = pointers(arguments), environment_pointers = pointers(environment);

    auto input = make_pipe(options), output = make_pipe(options), errors = make_pipe(options);
    for (const auto* end : {&input.write, &output.read, &errors.read}) never_block(*end);
    Actions actions;
    actions.become(input.read, STDIN_FILENO);
    actions.become(output.write, STDOUT_FILENO);
    actions.become(errors.write, STDERR_FILENO);
    actions.close_others();
    actions.start_in(options.folder);
    const Attributes attributes;

    LaunchedProcess launched;
    const int error = actions.error() ? actions.error()
                                      : ::posix_spawn(&launched.id, file.c_str(), actions.get(), attributes.get(),
                                                      argument_pointers.data(), environment_pointers.data());
    if (error) refuse(options, why_not_started(error));
    // The process is not reaped yet, so its number is still valid. glibc 2.36's function cannot be linked from C++.
    launched.handle = Descriptor(int(::syscall(SYS_pidfd_open, launched.id, 0)));
    if (launched.handle.number() < 0) {
        const auto why = said_by_system(errno);
        ::kill(-launched.id, SIGKILL);
        ::waitpid(launched.id, nullptr, 0);
        refuse(options, "the system gives no handle of it (pidfd_open: " + why + ")");
    }
    launched.input = std::move(input.write);
    launched.output = std::move(output.read);
    launched.errors = std::move(errors.read);
    return launched;
}
}
