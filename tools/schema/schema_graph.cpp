// Boost numbers a group after the groups that it leads to. It keeps its own stack: a server's schema may have chains of
// thousands of parts.
#include "tools/schema/schema_graph.hpp"
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace weft::tools {
std::vector<std::vector<std::size_t>> SchemaGraph::groups() const {
    boost::adjacency_list<> graph(next_.size());
    for (std::size_t part = 0; part < next_.size(); ++part)
        for (const auto other : next_[part]) boost::add_edge(part, other, graph);
    std::vector<std::size_t> group_of(next_.size());
    const auto count = boost::strong_components(
        graph, boost::make_iterator_property_map(group_of.begin(), boost::get(boost::vertex_index, graph)));
    std::vector<std::vector<std::size_t>> found(count);
    for (std::size_t part = 0; part < group_of.size(); ++part) found[group_of[part]].push_back(part);
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
