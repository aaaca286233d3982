// Workloads A and B on the actors of CAF with one thread of its scheduler. usage: weft_bench_caf A|B
#include "tests/bench/measure.hpp"
#include <caf/all.hpp>

namespace {
const std::string name = "CAF 0." + std::to_string(CAF_VERSION / 100) + "." + std::to_string(CAF_VERSION % 100);

// ---- A: two actors send each other a number ------------------------------------------------------------------------
caf::behavior play(caf::event_based_actor* self, long last, const caf::actor& judge) {
    return {[=](long i) {
        const auto other = caf::actor_cast<caf::actor>(self->current_sender());
        if (i < last) self->send(other, i + 1);
        else self->send(judge, i);
    }};
}
void game(caf::actor_system& system) {
    const long n = 1'000'000;
    caf::scoped_actor judge(system);
    const auto ping = system.spawn(play, n, caf::actor(judge));
    const auto pong = system.spawn(play, n, caf::actor(judge));
    const double began = now();
    caf::send_as(pong, ping, 1L);
    judge->receive([&](long i) { require(i == n, "A"); });
    out(name.c_str(), "A", ("event, N=" + std::to_string(n)).c_str(), (now() - began) / n, "ns");
}

// ---- B: an actor gives four others 1000 numbers, and adds their answers --------------------------------------------
struct Sum {
    long missing = 0, sum = 0;
    caf::actor judge;
};
caf::behavior work() {
    return {[](long i) { return i; }};
}
caf::behavior fan(caf::stateful_actor<Sum>* self, long items) {
    std::vector<caf::actor> workers;
    for (int i = 0; i < 4; ++i) workers.push_back(self->spawn(work));
    return {[=](const caf::actor& judge) {
                self->state = {items, 0, judge};
                for (long i = 0; i < items; ++i) self->send(workers[std::size_t(i) % workers.size()], i);
            },
            [=](long i) {
                auto& state = self->state;
                state.sum += i;
                if (--state.missing == 0) self->send(state.judge, state.sum);
            }};
}
void batches(caf::actor_system& system) {
    const long k = 1000, repeated = 300;
    caf::scoped_actor judge(system);
    const auto all = system.spawn(fan, k);
    const double began = now();
    for (long i = 0; i < repeated; ++i) {
        judge->send(all, caf::actor(judge));
        judge->receive([&](long sum) { require(sum == k * (k - 1) / 2, "B"); });
    }
    out(name.c_str(), "B", "items/s", k * repeated / (now() - began) * 1e9, "1/s");
    judge->send_exit(all, caf::exit_reason::user_shutdown);
}
}

int main(int, char** arguments) {
    caf::actor_system_config config;
    config.set("scheduler.max-threads", std::size_t(1));
    caf::actor_system system(config);
    if (arguments[1][0] == 'A') game(system);
    else batches(system);
}
