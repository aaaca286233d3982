// A run that one part of a program puts into a store, and a worker of that program that executes it. In one process
// here; by the address of a database, in any number of processes on any number of machines.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/replay.hpp"
#include "engine/store/postgres_store.hpp"
#include "engine/store/sqlite_store.hpp"
#include "workflows/worker/worker.hpp"
#include <filesystem>
#include <iostream>
#include <thread>
#include <unistd.h>
using namespace weft;
using namespace std::chrono_literals;

// [declare]
struct OrderEvent : StartEvent {
    std::string item;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (item))
struct PackedEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(PackedEvent, (), (text))
PackedEvent pack(Context&, OrderEvent order) { return {.text = order.item + " is packed"}; }
inline constexpr auto order = workflow("order", step<pack>);
const auto stored = durable<>(order);
// [/declare]

// [store]
std::unique_ptr<Store> open(const std::string& name) {
    if (is_postgres_url(name)) return std::make_unique<PostgresStore>(name);
    return std::make_unique<SqliteStore>(name);
}
// [/store]
// [put]
void put(Store& store, const std::string& item) {
    Engine engine({.store = &store});
    const auto id = engine.enqueue(stored, {.item = item}, {.key = item, .queue = "parcels", .priority = 5});
    std::cout << id << " is stored\n";
}
// [/put]
void work(Store& store) {
    // [serve]
    worker::Worker worker({.slots = 20, .queues = {"parcels"}});
    Engine engine({.store = &store, .park = true, .lease = 10s, .tells = [&worker] { return worker.tell(); }});
    worker.offer(engine, stored);
    std::jthread until([&] {  // in a program, the handler of SIGTERM
        while (!has_ended(history_of(store, "order:tea").run.status)) std::this_thread::sleep_for(10ms);
        worker.stop();
    });
    worker.work(engine, store);
    engine.leave_all(7s);
    worker.settle();
    // [/serve]
}

int main(int count, char** words) {
    const auto file = std::filesystem::temp_directory_path() / ("orders." + std::to_string(::getpid()) + ".db");
    const auto store = open(count > 1 ? words[1] : file.string());
    put(*store, "tea");
    work(*store);
    // [result]
    Engine engine({.store = store.get()});
    std::cout << engine.wait(engine.resume(stored, "order:tea").result()).text << '\n';
    // [/result]
}
// prints:
// order:tea is stored
// tea is packed
