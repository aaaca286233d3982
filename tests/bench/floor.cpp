// The floor: the same work without an engine. usage: weft_bench_floor A; without an argument it ends immediately, as
// the floor of workload E (with any other argument it prints its peak memory in MiB).
//
// A: the engine's workload over a ring of std::variant with a switch, the fastest way to route typed events at run
// time.
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
}

int main(int count, char** arguments) {
    if (count < 2) return 0;
    if (arguments[1][0] != 'A') return std::printf("%.2f\n", peak_rss_mib()), 0;
    for (long n : {1'000'000L, 10'000'000L}) {
        double t = now();
        require(game(n) == n, "A");
        auto metric = "event, N=" + std::to_string(n);
        out("floor: variant and switch", "A", metric.c_str(), (now() - t) / n, "ns");
    }
}
