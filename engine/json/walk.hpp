// Walks a value by its table (engine/json/shape.hpp), to JSON and back. For engine/json*.cpp and for code that has a
// table instead of a type; other code uses engine/json.hpp.
#pragma once
#include "engine/json/shape.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::json_detail {
/// The JSON of a JsonText. Stored values are unchanged: they are read back equal, or refused with Error{bad_json} when
/// written.
enum class TextForm {
    as_value,   // see engine/json/text.hpp; blanks and the order of keys may change
    unchanged,  // a string with the exact text if the value alone would not restore it
};
inline constexpr std::size_t most_depth = 64;  // for values and for JSON that is read

/// The place of the walk in a value, as a chain on the stack up to the root.
class Path {
public:
    explicit Path(std::string_view root, TextForm texts = TextForm::as_value) : key_(root), texts_(texts) {}
    Path(const Path& parent, std::string_view key) : parent_(&parent), key_(key), texts_(parent.texts_) { descend(); }
    Path(const Path& parent, std::size_t index) : parent_(&parent), index_(index), texts_(parent.texts_) { descend(); }
    Path(const Path&) = delete;
    TextForm texts() const { return texts_; }     // form of texts in the whole value
    std::size_t depth() const { return depth_; }  // 0 at the root; more than most_depth throws Error{bad_json}
    [[noreturn]] void fail(const std::string& what) const;  // "orders[3].count: what"
    /// Throws Error{bad_json}: "orders[3].count: expected an integer, got null".
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
    const TextForm texts_;
};

/// The value's JSON. `value` must point to an object of the shape's type. Throws Error{bad_json} for a type or value
/// without JSON form.
nlohmann::json write(const Shape&, const void* value, const Path&);
/// Reads into an existing value. An exception leaves it partly read.
void read(const Shape&, const nlohmann::json&, void* value, const Path&);
/// The JSON Schema of the type. Throws Error{bad_json} for a type without JSON form.
nlohmann::json schema(const Shape&, const Path&);

// Shared by write, read and schema.
std::string enumerator_names(const Shape&);                      // "red, green, blue"
std::string alternative_name(const Shape&);                      // the key of an alternative of a variant
[[noreturn]] void fail_without_form(const Shape&, const Path&);  // Error{bad_json}: "Price has no JSON form ..."
}
