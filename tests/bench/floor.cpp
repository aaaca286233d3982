// The floor: the same work without an engine. usage: weft_bench_floor A|B; without an argument it ends immediately, as
// the floor of workload E (with any other argument it prints its peak memory in MiB).
//
// A and B: the engine's workloads over a ring of std::variant with a switch, the fastest way to route typed events at
// run time.
#include "tests/bench/measure.hpp"
#include <array>
#include <variant>

namespace {
struct Ping {
    long i;
};
struct Pong {
    long i;
};
struct Over {
    long i;
};
using Event = std::variant<Ping, Pong, Over>;

class Ring {
public:
    void push(Event e) { events_[last_++ % events_.size()] = e; }
    Event pop() { return events_[first_++ % events_.size()]; }

private:
    std::array<Event, 64> events_;
    std::size_t first_ = 0, last_ = 0;
};

[[gnu::noinline]] Event on_ping(Ping e, long limit) {
    keep(e.i);
    if (e.i < limit) return Pong{e.i + 1};
    return Over{e.i};
}
[[gnu::noinline]] Event on_pong(Pong e, long limit) {
    keep(e.i);
    if (e.i < limit) return Ping{e.i + 1};
    return Over{e.i};
}

[[gnu::noinline]] long game(long limit) {
    Ring ring;
    ring.push(Ping{1});
    while (true) {
        auto event = ring.pop();
        switch (event.index()) {
        case 0: ring.push(on_ping(*std::get_if<Ping>(&event), limit)); break;
        case 1: ring.push(on_pong(*std::get_if<Pong>(&event), limit)); break;
        default: return std::get_if<Over>(&event)->i;
        }
    }
}

struct Work {
    long i;
};
struct Done {
    long i;
};
using Item = std::variant<Work, Done>;
[[gnu::noinline]] Done work(Work item) {
    keep(item.i);
    return {item.i};
}
[[gnu::noinline]] long batch(long items) {
    std::vector<Item> ring;
    ring.reserve(std::size_t(2 * items));
    for (long i = 0; i < items; ++i) ring.push_back(Work{i});
    long sum = 0;
    for (std::size_t at = 0; at < ring.size(); ++at) {
        if (const auto* item = std::get_if<Work>(&ring[at])) ring.push_back(work(*item));
        else sum += std::get_if<Done>(&ring[at])->i;
    }
    return sum;
}
void batches() {
    const long k = 1000, repeated = 20'000;
    const double t = now();
    for (long r = 0; r < repeated; ++r) require(batch(k) == k * (k - 1) / 2, "B");
    out("floor: variant and switch", "B", "items/s", double(k * repeated) / (now() - t) * 1e9, "1/s");
}
}

int main(int count, char** arguments) {
    if (count < 2) return 0;
    if (arguments[1][0] == 'B') return batches(), 0;
    if (arguments[1][0] != 'A') return std::printf("%.2f\n", peak_rss_mib()), 0;
    for (long n : {1'000'000L, 10'000'000L}) {
        double t = now();
        require(game(n) == n, "A");
        auto metric = "event, N=" + std::to_string(n);
        out("floor: variant and switch", "A", metric.c_str(), (now() - t) / n, "ns");
    }
}
