// The server's programs are started by fork and exec, as another user if this one is root. A kill waits for the
// server's end, because a new server cannot use its folder before.
#include "tests/support/postgres_server.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/memory_folder.hpp"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <libpq-fe.h>
#include <memory>
#include <pwd.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {
const passwd* other_user() {
    if (::geteuid() != 0) return nullptr;
    for (const auto* name : {"postgres", "nobody"})
        if (const auto* user = ::getpwnam(name)) return user;
    throw std::runtime_error("the server of PostgreSQL refuses to be root, and there is no user postgres or nobody");
}
std::unique_ptr<PGresult, void (*)(PGresult*)> ask(const std::string& url, const std::string& script) {
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(url.c_str()), &PQfinish);
    PQsetNoticeReceiver(
        connection.get(), [](void*, const PGresult*) {}, nullptr);
    std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), script.c_str()), &PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        throw std::runtime_error(script + ": " + PQerrorMessage(connection.get()));
    return result;
}
}
PostgresServer::PostgresServer(const std::string& folder_on_disk) {
    auto name = test::memory_folder() + "/weft_pg_XXXXXX";
    folder_ = ::mkdtemp(name.data());
    data_ = (folder_on_disk.empty() ? folder_ : folder_on_disk) + "/data";
    std::filesystem::create_directory(data_);
    for (const auto& folder : {folder_, data_})
        if (const auto* user = other_user(); user && ::chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0)
            throw std::runtime_error("cannot give " + folder + " to another user");
    std::vector<std::string> initdb{"initdb",       "-D",        data_, "-U",   "weft",
                                    "--auth=trust", "--no-sync", "-E",  "UTF8", "--locale=C"};
    if (folder_on_disk.empty()) {
        initdb.emplace_back("--wal-segsize=1");
        settings_ = {"-c", "max_wal_size=64MB", "-c", "min_wal_size=2MB"};
    }
    const auto made = launch(initdb);
    int status = 0;
    if (::waitpid(made, &status, 0) != made || status != 0) throw std::runtime_error("initdb: " + said());
    start();
}
PostgresServer::~PostgresServer() {
    if (server_ > 0) {
        ::kill(server_, SIGINT);
        ::waitpid(server_, nullptr, 0);
    }
    std::error_code ignored;
    for (const auto& folder : {data_, folder_}) std::filesystem::remove_all(folder, ignored);
}
PostgresServer& PostgresServer::shared() {
    static PostgresServer server;
    return server;
}
pid_t PostgresServer::launch(const std::vector<std::string>& command) const {
    const auto* user = other_user();
    const bool is_path = command.front().starts_with("/");
    const auto program = (is_path ? "" : std::string(WEFT_POSTGRES_PROGRAMS) + "/") + command.front();
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};  // to find the others
    for (std::size_t i = 1; i < command.size(); ++i) arguments.push_back(const_cast<char*>(command[i].c_str()));
    arguments.push_back(nullptr);
    char language[] = "LC_ALL=C";
    char* environment[] = {language, nullptr};
    const auto log = folder_ + "/log";
    const auto parent = ::getpid();
    const auto child = ::fork();
    if (child != 0) return child;
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    ::dup2(out, 1);
    ::dup2(out, 2);
    if (user && (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0))
        ::_exit(125);
    ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (::getppid() != parent || ::chdir(folder_.c_str()) != 0) ::_exit(126);
    for (int open = 3; open < 256; ++open) ::close(open);
    ::execve(program.c_str(), arguments.data(), environment);
    ::_exit(127);
}
std::string PostgresServer::said() const {
    std::ifstream in(folder_ + "/log");
    std::string all{std::istreambuf_iterator<char>(in), {}};
    return all.size() > 2000 ? all.substr(all.size() - 2000) : all;
}
void PostgresServer::start() {
    std::vector<std::string> command{"postgres",
                                     "-D",
                                     data_,
                                     "-p",
                                     std::to_string(port_),
                                     "-c",
                                     "listen_addresses=",
                                     "-c",
                                     "unix_socket_directories=" + folder_};
    for (const auto* all : {&settings_, &more_settings_}) command.insert(command.end(), all->begin(), all->end());
    server_ = launch(command);
    wait_until_ready();
}
void PostgresServer::wait_until_ready() const {
    const auto deadline = std::chrono::steady_clock::now() + test::limit;
    while (PQping(url().c_str()) != PQPING_OK) {
        if (::waitpid(server_, nullptr, WNOHANG) != 0 || std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("the server of PostgreSQL does not start: " + said());
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}
namespace {
bool is_running(pid_t process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(in, text);
    const auto name_end = text.rfind(')');
    return name_end != text.npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}
}
// The server's children would outlive it for a moment, execute a statement that has reached them, and keep the shared
// memory that the next server needs.
void PostgresServer::kill() {
    ::kill(server_, SIGSTOP);  // prevents further children
    const auto own = std::to_string(server_);
    std::ifstream children("/proc/" + own + "/task/" + own + "/children");
    std::vector<pid_t> killed;
    for (pid_t child = 0; children >> child; killed.push_back(child)) ::kill(child, SIGKILL);
    ::kill(server_, SIGKILL);
    ::waitpid(server_, nullptr, 0);
    for (const auto child : killed)
        while (is_running(child)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server_ = -1;
}
void PostgresServer::restart_with(std::vector<std::string> arguments, int port) {
    kill();
    more_settings_ = std::move(arguments);
    port_ = port;
    start();
}
std::string PostgresServer::url(const std::string& database, const std::string& user) const {
    return "postgres://" + user + "@/" + database + "?host=" + folder_ +
           (port_ == 5432 ? "" : "&port=" + std::to_string(port_));
}
void PostgresServer::sql(const std::string& script, const std::string& database) { ask(url(database), script); }
std::string PostgresServer::value_of(const std::string& query, const std::string& database) {
    const auto result = ask(url(database), query);
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}
