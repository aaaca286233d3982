// The references between the parts of a JSON Schema, and how far a validation may follow them: an untrusted schema must
// neither exhaust the stack nor run for ever. Only numbers; schema_check.cpp knows the parts.
//
//     SchemaGraph graph(2);
//     graph.add(0, 1);                 // part 0 has part 1, or a reference to it
//     graph.is_endless();              // false: no part leads to itself
#pragma once
#include <cstddef>
#include <vector>

namespace weft::tools {
class SchemaGraph {
public:
    explicit SchemaGraph(std::size_t parts) : next_(parts) {}
    void add(std::size_t part, std::size_t leads_to) { next_[part].push_back(leads_to); }
    /// Whether some part leads to itself, directly or through others.
    bool is_endless() const;
    /// An upper bound for the number of parts on a path that visits each part at most once.
    std::size_t longest_way() const;
    /// The maximum number of paths from one part, limited to `most`. The graph must not be endless.
    std::size_t ways(std::size_t most) const;

private:
    /// Groups of parts that lead to each other. A group comes after the groups that it leads to.
    std::vector<std::vector<std::size_t>> groups() const;
    std::vector<std::vector<std::size_t>> next_;
};
}
