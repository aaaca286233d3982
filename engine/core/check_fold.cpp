// Handles of cells differ between a live run and a fold, and tokens that are free keep what they had: both are made
// equal before the states are compared.
#include "engine/core/check_fold.hpp"
#include "engine/core/run_extras.hpp"
#include "engine/json/parse.hpp"
#include <cstdio>
#include <cstdlib>

namespace weft::core {
namespace {
State comparable(const State& state, const std::vector<Handle>* numbers) {
    State plain = state;
    const auto used = state.tokens.in_use();
    for (Handle h = 0; h < used.size(); ++h) {
        Token& token = plain.tokens[h];
        if (!used[h]) {
            const Handle next = token.next;
            token = Token();
            token.next = next;
        } else if (token.phase != Phase::question && token.cell != none && numbers) token.cell = (*numbers)[token.cell];
    }
    if (plain.result != none && numbers) plain.result = (*numbers)[plain.result];
    return plain;
}
}
std::shared_ptr<FoldCheck> check_from(const Fold& fold, const std::map<Handle, Handle>& cells) {
    auto check = std::make_shared<FoldCheck>(FoldCheck{fold, {}, fold.events()});
    for (auto [number, cell] : cells) {
        if (cell >= check->numbers.size()) check->numbers.resize(cell + 1, none);
        check->numbers[cell] = number;
    }
    return check;
}
void check_fold(RunCore& run, std::uint64_t seq, const std::string& body, const Tick& tick) {
    auto& check = run.extras->track->check;
    if (!check) check = std::make_shared<FoldCheck>(FoldCheck{Fold(named_plan(*run.definition)), {}, 0});
    for (auto& e : tick.events) {
        if (e.cell >= check->numbers.size()) check->numbers.resize(e.cell + 1, none);
        check->numbers[e.cell] = check->next++;
    }
    check->fold.add(seq, parse_json(body, limits_of_records));
    if (comparable(run.state, &check->numbers) == comparable(check->fold.state(), nullptr)) return;
    std::fprintf(stderr, "weft: the state of run %s is not what its ticks lead to, at tick %llu: %s\n",
                 run.id().c_str(), static_cast<unsigned long long>(seq), body.c_str());
    std::abort();
}
}
