// The stores that must keep every promise of engine/store.hpp, each alone and behind a wrapper that never fails.
#pragma once
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/store/sqlite_store.hpp"
#include "tests/engine/store/stores.hpp"
#include <atomic>
#ifdef WEFT_POSTGRES_PROGRAMS
#include "engine/store/postgres_store.hpp"
#include "tests/support/postgres_server.hpp"
#endif
#ifdef WEFT_POSTGRES_POOLER
#include "tests/support/postgres_pooler.hpp"
#endif

namespace stores {
struct House {  // a store and its time
    /// `tick`: microseconds from one look at the clock to the next.
    explicit House(const std::string& kind, std::int64_t tick = 1) {
        auto now = [this, tick] { return time += tick; };
#ifdef WEFT_POSTGRES_PROGRAMS
        if (kind.starts_with("PostgreSQL")) {
            PostgresServer::shared().clear();
            auto url = PostgresServer::shared().url();
#ifdef WEFT_POSTGRES_POOLER
            if (kind != "PostgreSQL") url = PostgresPooler::shared().url();
#endif
            inner = std::make_unique<PostgresStore>(url, PostgresOptions{.connect_ms = 600'000, .now = now});
            return;
        }
#endif
        if (kind.find("memory") != kind.npos) inner = std::make_unique<MemoryStore>(now);
        else inner = std::make_unique<SqliteStore>(folder.file(), SqliteOptions{.now = now});
        if (kind.find("wrapped") != kind.npos) outer = std::make_unique<FailingStore>(*inner);
    }
    Store& operator*() { return outer ? *outer : *inner; }

    std::atomic<std::int64_t> time{1'000'000};
    Folder folder;
    std::unique_ptr<Store> inner, outer;
};
inline const std::vector<std::string> kinds{
    "memory",
    "SQLite",
    "memory, wrapped",
    "SQLite, wrapped",
#ifdef WEFT_POSTGRES_PROGRAMS
    "PostgreSQL",
#endif
#ifdef WEFT_POSTGRES_POOLER
    "PostgreSQL behind a pooler",
#endif
};

template <class Test> void on_every_store(Test test) {
    for (auto& kind : kinds) {
        CAPTURE(kind);
        House house(kind);
        test(*house, house);
    }
}
}
