// The sum covers bytes, so an object is serialised only once.
#include "workflows/catalog/stored/run_lines.hpp"
#include "engine/core/record.hpp"

namespace weft::catalog::lines {
using namespace storage;
std::string Sums::next(std::string_view object) {
    before_ = chained_sum(before_, number_++, object);
    return core::hex(before_);
}
std::string Sums::with_sum(const std::string& object) {
    return std::string(begins) + next(object) + std::string(goes_on) + object.substr(1);
}
std::string Sums::checked(std::string_view line) {
    const auto head = begins.size() + sum_digits;
    if (!line.starts_with(begins) || line.size() < head || !line.substr(head).starts_with(goes_on)) return {};
    auto object = '{' + std::string(line.substr(head + goes_on.size()));
    if (next(object) != line.substr(begins.size(), sum_digits)) return {};
    return object;
}
}
