#include "tests/simulation/databases.hpp"

namespace simulation {
namespace {
std::unique_ptr<Store> make_database(const World& world) {
    auto store = std::make_unique<MemoryStore>([&world] { return world.microseconds(); });
    store->share();
    return store;
}
}
Databases::Databases(World& world, std::size_t count, std::unique_ptr<Store> file)
    : ForwardingStore(static_cast<Store&>(*this)), world_(world) {
    if (file) add(std::move(file));
    while (all_.size() < count) add(make_database(world));
    connect();
}
void Databases::add(std::unique_ptr<Store> store) {
    all_.push_back(std::make_unique<Database>());
    all_.back()->store = std::move(store);
}
void Databases::grow() {
    add(make_database(world_));
    for (const auto& each : all_) each->disk.growths = unsigned(sizes_.size());
    connect();
}
void Databases::connect() {
    sizes_.push_back(all_.size());
    if (!is_shared()) return;
    std::vector<Store*> stores;
    for (auto& each : all_) stores.push_back(each->store.get());
    store_ = std::make_unique<ShardedStore>(std::move(stores), sizes_);
}
std::size_t Databases::number_of(const std::string& run) {
    std::size_t number = 0;
    if (!is_shared()) return number;
    store_->find_shards({run},
                        [&](const std::exception_ptr&, const std::vector<std::size_t>& at) { number = at.front(); });
    return number;
}
void Databases::pass(StoreCall call) {
    call.execute(store_ ? static_cast<Store&>(*store_) : *all_.front()->store,
                 [](const StoreCall::GiveAnswer& answer) { answer(); });
}
}
