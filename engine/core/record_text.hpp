// A record as it is written: the text of a JSON object, without a tree of it, as each tick of a durable run is one.
//
//     RecordText record;
//     record.add("tick", "finished"), record.add("at", now_us);
//     store(record.finish());
#pragma once
#include "engine/json/parse.hpp"
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weft::core {
/// Of what is read back.
inline constexpr JsonLimits limits_of_records{.bytes = std::size_t{1} << 30, .depth = 72};

class RecordText {
public:
    void add(std::string_view key, std::string_view value);
    void add(std::string_view key, std::int64_t value);
    void add(std::string_view key, std::uint64_t value);
    void add_value(std::string_view key, const nlohmann::json&);  // throws Error{bad_json} for text that is no UTF-8
    /// Of JSON already.
    void add_json(std::string_view key, std::string_view json);
    std::string finish();

private:
    void begin(std::string_view key);
    std::string text_ = "{";
};
}
