// Tarjan's algorithm finds the groups, without recursion: a server's schema may have chains of thousands of parts.
#include "tools/schema/schema_graph.hpp"
#include <algorithm>

namespace weft::tools {
std::vector<std::vector<std::size_t>> SchemaGraph::groups() const {
    const std::size_t none = next_.size();
    std::vector<std::vector<std::size_t>> found;
    std::vector<std::size_t> number(none, none), lowest(none), open, at(none);
    std::vector<bool> is_open(none);
    std::vector<std::size_t> way;  // the stack that a recursion would use
    std::size_t numbered = 0;
    const auto enter = [&](std::size_t part) {
        number[part] = lowest[part] = numbered++;
        way.push_back(part);
        open.push_back(part);
        is_open[part] = true;
    };
    for (std::size_t first = 0; first < none; ++first) {
        if (number[first] == none) enter(first);
        while (!way.empty()) {
            const auto part = way.back();
            if (at[part] < next_[part].size()) {
                const auto other = next_[part][at[part]++];
                if (number[other] == none) enter(other);
                else if (is_open[other]) lowest[part] = std::min(lowest[part], number[other]);
                continue;
            }
            way.pop_back();
            if (!way.empty()) lowest[way.back()] = std::min(lowest[way.back()], lowest[part]);
            if (lowest[part] != number[part]) continue;
            auto begin = open.end() - 1;
            while (*begin != part) --begin;
            found.emplace_back(begin, open.end());
            for (const auto member : found.back()) is_open[member] = false;
            open.erase(begin, open.end());
        }
    }
    return found;
}
bool SchemaGraph::is_endless() const {
    for (std::size_t part = 0; part < next_.size(); ++part)
        if (std::find(next_[part].begin(), next_[part].end(), part) != next_[part].end()) return true;
    return groups().size() != next_.size();
}
std::size_t SchemaGraph::longest_way() const {
    std::vector<std::size_t> longest(next_.size(), 0);
    std::size_t all = 0;
    for (const auto& group : groups()) {
        std::size_t behind = 0;
        for (const auto part : group)
            for (const auto other : next_[part]) behind = std::max(behind, longest[other]);  // 0 within the group
        for (const auto part : group) longest[part] = behind + group.size();
        all = std::max(all, behind + group.size());
    }
    return all;
}
std::size_t SchemaGraph::ways(std::size_t most) const {
    std::vector<std::size_t> of(next_.size(), 0);
    std::size_t all = 0;
    for (const auto& group : groups()) {
        auto& count = of[group.front()];
        count = 1;
        for (const auto other : next_[group.front()]) count = std::min(most, count + of[other]);
        all = std::max(all, count);
    }
    return all;
}
}
