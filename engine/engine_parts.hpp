// What an engine is made of, for its own files.
#pragma once
#include "engine/core/random.hpp"
#include "engine/engine.hpp"
#include "engine/store.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

namespace weft {
struct Engine::Parts {
    struct Thread {  // a context of the engine's own, and the thread that runs it
        asio::io_context io{1};
        asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
        std::thread thread;
    };
    std::vector<std::unique_ptr<Thread>> threads;
    std::unique_ptr<Pool> pool;
    std::shared_ptr<core::Admission> admission;
    std::vector<std::unique_ptr<core::Loop>> loops;
    std::once_flag pool_made;
    std::atomic<unsigned> next{0};
    Options options;
    std::string owner = std::to_string(core::draw_seed());  // of runs in the store, by this engine alone
    std::jthread pulse;                                     // asks the store for mail

    void listen();  // begins to ask for mail, if there is a store
    void hear(const storage::Pulse&);
    void fetch_mail(const std::string& run);
    bool go_on(const storage::RunRow&);      // that was claimed; false: it is here already
    void free_run(const storage::RunRow&);   // that this engine has claimed
    void free_left_behind();                 // runs that the store has as this engine's, and the engine has no more
    std::vector<std::string> claim_ready();  // what is ready of the workflows that were recovered
    core::Loop& next_loop() {
        return *loops[loops.size() == 1 ? 0 : next.fetch_add(1, std::memory_order_relaxed) % loops.size()];
    }
    std::mutex naming;  // between the look whether an id is taken, and taking it
    std::mutex recovering;
    std::vector<std::shared_ptr<const Definition>> recovered;  // by recover()
};
}
