// How far a validation by a JSON Schema may lead, by which of its parts lead to which: an untrusted one must neither
// end the stack nor take for ever. Pure numbers; schema_check.cpp knows what the parts are.
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
    /// Some part leads to itself, by itself or by others.
    bool is_endless() const;
    /// At least as many parts as any way has that meets each part once at most.
    std::size_t longest_way() const;
    /// The ways that begin at any one part, at most; `most` if there are as many or more. Of a graph that is not
    /// endless.
    std::size_t ways(std::size_t most) const;

private:
    /// The parts that lead to each other are a group. A group comes after those that it leads to.
    std::vector<std::vector<std::size_t>> groups() const;
    std::vector<std::vector<std::size_t>> next_;
};
}
