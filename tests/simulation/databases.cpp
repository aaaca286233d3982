#include "tests/simulation/databases.hpp"

namespace simulation {
Database::Database(World& world) : store([&world] { return world.microseconds(); }) { store.share(); }
Databases::Databases(World& world, std::size_t count) : ForwardingStore(*this), world_(world) {
    for (std::size_t i = 0; i < count; ++i) all_.push_back(std::make_unique<Database>(world));
    connect();
}
void Databases::grow() {
    all_.push_back(std::make_unique<Database>(world_));
    connect();
}
void Databases::connect() {
    sizes_.push_back(all_.size());
    std::vector<Store*> stores;
    for (auto& each : all_) stores.push_back(&each->store);
    store_ = std::make_unique<ShardedStore>(std::move(stores), sizes_);
}
std::size_t Databases::number_of(const std::string& run) {
    std::size_t number = 0;
    store_->find_shards({run},
                        [&](const std::exception_ptr&, const std::vector<std::size_t>& at) { number = at.front(); });
    return number;
}
void Databases::pass(StoreCall call) {
    call.execute(*store_, [](const StoreCall::GiveAnswer& answer) { answer(); });
}
}
