// Counts columns as a terminal does: wide characters take two.
#include "steps/view/side_by_side.hpp"
#include "steps/view/neutralise.hpp"
#include "steps/view/wrap.hpp"
#include <algorithm>

namespace weft::view {
std::string side_by_side(const Side& left, const Side& right, std::size_t columns) {
    const auto half = std::max<std::size_t>((std::max<std::size_t>(columns, 3) - 3) / 2, 10);
    const auto lines = [half](const std::string& text) { return wrap(neutralise(text), {.columns = half}); };
    std::string out;
    const auto put = [&](const std::string& one, const std::string& other) {
        out += one;
        if (const auto width = columns_of(one); width < half) out.append(half - width, ' ');
        (out += other.empty() ? " |" : " | " + other) += '\n';
    };
    const auto put_all = [&](const std::vector<std::string>& one, const std::vector<std::string>& other) {
        for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i)
            put(i < one.size() ? one[i] : "", i < other.size() ? other[i] : "");
    };
    put_all(lines(left.title), lines(right.title));
    out += std::string(half + 1, '-') + '+' + std::string(half + 1, '-') + '\n';
    put_all(lines(left.text), lines(right.text));
    return out;
}
}
