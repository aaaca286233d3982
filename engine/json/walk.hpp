// Walking a value by its table (engine/json/shape.hpp), to JSON and back. For engine/json*.cpp and those that have a
// table in the place of a type; all others use engine/json.hpp.
#pragma once
#include "engine/json/shape.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::json_detail {
/// How a JsonText is written. as_value: as engine/json/text.hpp says; read back it may have other blanks, and its keys
/// in another order. unchanged: as a string that holds the very text, where the value alone would not lead to it. So is
/// what is stored: it comes back equal, or is refused by Error{bad_json} when it is first written.
enum class Texts { as_value, unchanged };
inline constexpr std::size_t most_depth = 64;  // of a value, and of what is read

/// Where in a value the walk is, as a chain on the stack from the value back to the root.
class Path {
public:
    explicit Path(std::string_view root, Texts texts = Texts::as_value) : key_(root), texts_(texts) {}
    Path(const Path& parent, std::string_view key) : parent_(&parent), key_(key), texts_(parent.texts_) { descend(); }
    Path(const Path& parent, std::size_t index) : parent_(&parent), index_(index), texts_(parent.texts_) { descend(); }
    Path(const Path&) = delete;
    Texts texts() const { return texts_; }
    std::size_t depth() const { return depth_; }
    [[noreturn]] void fail(const std::string& what) const;  // "orders[3].count: what"
    [[noreturn]] void mismatch(std::string_view expected, const nlohmann::json& got) const;

private:
    void descend() {
        depth_ = parent_->depth_ + 1;
        if (depth_ > most_depth) fail("more than 64 levels of nesting");
    }
    std::string text() const;
    const Path* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = 0;
    std::size_t depth_ = 0;
    const Texts texts_;
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
