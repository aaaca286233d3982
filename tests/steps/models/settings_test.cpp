#include "engine/error.hpp"
#include "steps/models/dotenv.hpp"
#include "steps/models/secret.hpp"
#include "steps/models/settings.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <tuple>
#include <unistd.h>
using namespace weft;
using namespace weft::models;
namespace fs = std::filesystem;

namespace {
template <class T>
concept Streams = requires(std::ostream& out, const T& value) {
    out << value;
};
template <class T>
concept Converts = requires(const T& value) {
    nlohmann::json(value);
};
struct File {
    File() : path((fs::temp_directory_path() / ("weft-dotenv-" + std::to_string(getpid()))).string()) {}
    ~File() { fs::remove_all(path); }
    void write(const std::string& text) const { std::ofstream(path) << text; }
    std::string path;
};
}

TEST_CASE("a settings file is read with quotes, comments and export") {
    const auto file = parse_dotenv("\xef\xbb\xbf# keys\nA=1\r\n export B = two words  # why\nC=\"x # "
                                   "\\\"y\\\"\\n\\$z\" # c\nD='raw \\n $(id) `id`'\n"
                                   "E=a#b\nF=\nG=${A}\nA=2");
    const std::map<std::string, std::string, std::less<>> expected{
        {"A", "2"},   {"B", "two words"}, {"C", "x # \"y\"\n$z"}, {"D", "raw \\n $(id) `id`"},
        {"E", "a#b"}, {"F", ""},          {"G", "${A}"}};
    CHECK(file.values == expected);
    CHECK(file.odd_lines.empty());
}
TEST_CASE("odd lines are left out and counted") {
    const auto file = parse_dotenv("A=1\nnonsense\n2X=1\nB=\"open\nC='x' y\n=1\nD=4");
    CHECK(file.values.size() == 2);
    CHECK(file.odd_lines == std::vector<int>{2, 3, 4, 5, 6});
}
// shows A-28
TEST_CASE("the environment precedes the file, and an empty setting counts as unset") {
    const Settings settings(Settings::Variables{{"A", "env"}, {"B", ""}}, {{"A", "file"}, {"B", "file"}, {"C", ""}});
    CHECK(settings.get("A") == "env");
    CHECK(settings.get("B") == "file");
    CHECK_FALSE(settings.get("C"));
    CHECK_FALSE(settings.get("D"));
}
TEST_CASE("a process's settings are read from its environment and its file") {
    File file;
    file.write("WEFT_TEST_ONE=file\nWEFT_TEST_TWO=file\n");
    setenv("WEFT_TEST_ONE", "env", 1);
    const auto settings = Settings::of_process(file.path);
    CHECK(settings.get("WEFT_TEST_ONE") == "env");
    CHECK(settings.get("WEFT_TEST_TWO") == "file");
    CHECK(std::getenv("WEFT_TEST_TWO") == nullptr);
    unsetenv("WEFT_TEST_ONE");
}
TEST_CASE("unreadable lines of the file are named by number, without their content") {
    File file;
    file.write("A=1\n");
    CHECK(Settings::of_process(file.path).oddities().empty());
    file.write("A=1\nsk-canary-12345\n");
    CHECK(Settings::of_process(file.path).oddities() ==
          file.path + ": line 2 is left out: write NAME=value, with two quotes around the value or none");
    file.write("sk-canary\n1A=sk-canary\nB='sk-canary\nC=3\n");
    const auto settings = Settings::of_process(file.path);
    CHECK(settings.oddities().starts_with(file.path + ": lines 1, 2 and 3 are left out"));
    CHECK(settings.get("C") == "3");
    file.write(std::string(7, '\n') + "a\nb\nc\nd\ne\nf\ng\n");
    CHECK(Settings::of_process(file.path).oddities().find("lines 8, 9, 10, 11, 12 and 2 more are") !=
          std::string::npos);
}
TEST_CASE("a settings file is reported when it has a secret and other users can open it") {
    struct Folders {  // of the mode of a folder for temporary files
        Folders() : above((fs::temp_directory_path() / ("weft-folders-" + std::to_string(getpid()))).string()) {
            fs::create_directories(above + "/below");
        }
        ~Folders() { fs::remove_all(above); }
        std::string above;
    } const folders;
    const auto file = folders.above + "/below/.env";
    const auto is_reported = [&](const char* text, unsigned above, unsigned below, unsigned mode) {
        std::ofstream(file) << text;
        fs::permissions(folders.above, fs::perms(above));
        fs::permissions(folders.above + "/below", fs::perms(below));
        fs::permissions(file, fs::perms(mode));
        const auto sentence = Settings::of_process(file).exposure();
        if (!sentence.empty())
            CHECK(sentence == file + " can be read by other users of this machine: chmod 600 keeps its keys secret");
        return !sentence.empty();
    };

    CHECK(is_reported("A_KEY=k", 0755, 0755, 0604));
    CHECK(is_reported("A_TOKEN=k", 0710, 0750, 0640));
    CHECK(is_reported("PASSWORD=k", 0711, 0711, 0602));
    for (const auto& [above, below, mode] : {std::tuple(0755u, 0755u, 0600u),
                                             {0755u, 0755u, 0400u},
                                             {0700u, 0755u, 0644u},
                                             {0755u, 0700u, 0644u},
                                             {0750u, 0705u, 0644u}})
        CHECK_FALSE(is_reported("A_KEY=k", above, below, mode));
    CHECK_FALSE(is_reported("A_KEY=k", 0755, 0755, 0755));  // as on a file system without permissions
    CHECK_FALSE(is_reported("WEFT_MODEL=m\nA_KEY=", 0755, 0755, 0644));
}
TEST_CASE("a missing file is accepted, a huge one is refused, and a folder of that name is ignored") {
    File file;
    CHECK_FALSE(Settings::of_process(file.path).get("WEFT_TEST_ONE"));
    file.write(std::string(70000, '#'));
    CHECK_THROWS_AS(Settings::of_process(file.path), Error);
    fs::remove(file.path);
    fs::create_directory(file.path);
    CHECK_NOTHROW(Settings::of_process(file.path));
}
TEST_CASE("a secret cannot be printed or converted to JSON, and is hidden in texts") {
    CHECK_FALSE(Streams<Secret>);
    CHECK_FALSE(Converts<Secret>);
    CHECK(Secret("sk-12345").redact("bad key sk-12345, sk-12345!") == "bad key ***, ***!");
    CHECK(Secret("").redact("text") == "text");
}
