// Makes a store with the runs that standard input has, a JSON object in each line (stored.hpp); with `is_there` only
// the mail is sent, to a run that the store has. Until that ends it has the store open, as an engine at work has.
#include "engine/store/sqlite_store.hpp"
#include "tests/workflows/stored.hpp"
#include <iostream>

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    weft::SqliteStore store(argv[1]);
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        const auto run = nlohmann::json::parse(line);
        run.value("is_there", false) ? stored::send(store, run) : stored::put(store, run);
    }
}
