// Walking a value by its table (engine/json/shape.hpp), to JSON and back. For engine/json*.cpp and those that have a
// table in the place of a type; all others use engine/json.hpp.
#pragma once
#include "engine/json/shape.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::json_detail {
/// Where in a value the walk is, as a chain on the stack from the value back to the root.
class Path {
public:
    explicit Path(std::string_view root) : key_(root) {}
    Path(const Path& parent, std::string_view key) : parent_(&parent), key_(key) { descend(); }
    Path(const Path& parent, std::size_t index) : parent_(&parent), index_(index) { descend(); }
    Path(const Path&) = delete;
    [[noreturn]] void fail(const std::string& what) const;  // "orders[3].count: what"
    [[noreturn]] void mismatch(std::string_view expected, const nlohmann::json& got) const;

private:
    void descend() {
        depth_ = parent_->depth_ + 1;
        if (depth_ > 64) fail("more than 64 levels of nesting");
    }
    std::string text() const;
    const Path* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = 0;
    int depth_ = 0;
};

nlohmann::json write(const Shape&, const void* value, const Path&);
/// Into a value that is there. What it throws leaves some of the value read.
void read(const Shape&, const nlohmann::json&, void* value, const Path&);
nlohmann::json schema(const Shape&, const Path&);

// What the three have in common.
std::string enumerator_names(const Shape&);  // "red, green, blue"
std::string alternative_name(const Shape&);  // the key of an alternative of a variant
bool may_be_null(const Shape&);              // of a variant
[[noreturn]] void fail_without_form(const Shape&, const Path&);
}
