// Answers each line "zone <tab> expression <tab> seconds since 1970" with the next three times or a refusal.
#include "engine/error.hpp"
#include "engine/schedule/timetable.hpp"
#include "engine/text/text.hpp"
#include <iostream>

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::string_view rest = line;
        const auto zone = weft::cut_at(rest, '\t'), expression = weft::cut_at(rest, '\t');
        try {
            const auto after = std::chrono::sys_seconds(std::chrono::seconds(std::stoll(std::string(rest))));
            const auto timetable = weft::schedule::Timetable::cron(expression, zone);
            std::cout << weft::with_commas(timetable.next_times(after, 3), [](auto time) {
                return std::to_string(time.time_since_epoch().count());
            }) << '\n';
        } catch (const weft::Error& e) { std::cout << e.what() << '\n'; }
    }
}
