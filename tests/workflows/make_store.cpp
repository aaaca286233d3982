// Makes a store with the runs of standard input, one JSON object per line (stored.hpp); with `is_there` it only sends
// the mail to an existing run. It has the store open until the input ends, like a working engine.
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
