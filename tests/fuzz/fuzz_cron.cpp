// Any bytes as an expression, or as a stored timetable, are refused in a short line, or give words and times that grow
// in a bounded time. The first byte chooses zone and begin.
#include "engine/error.hpp"
#include "engine/schedule/timetable.hpp"
#include <cstdint>
#include <cstdlib>

namespace {
using namespace weft::schedule;

void follow(const Timetable& timetable, Timetable::Time after) {
    if (timetable.in_words().empty() || timetable.in_words().size() > 4000) std::abort();
    if (!(Timetable::from_json(timetable.to_json()) == timetable)) std::abort();
    for (auto time : timetable.next_times(after, 3)) {
        if (time <= after) std::abort();
        after = time;
    }
}
template <class Read> void read_or_refuse(Read read) {
    try {
        read();
    } catch (const weft::Error& e) {
        const std::string_view said = e.what();
        if (said.size() > 1000 || said.find_first_of("\n\r\x1b") != said.npos) std::abort();
    }
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const char* zones[] = {"UTC",          "Europe/Berlin",     "America/New_York", "Australia/Lord_Howe",
                                  "Pacific/Apia", "America/Sao_Paulo", "America/St_Johns", "Asia/Kolkata"};
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Timetable::Time after(std::chrono::days(365 * (data[0] / 8) + 20'000));
    read_or_refuse([&] { follow(Timetable::cron(text, zones[data[0] % 8]), after); });
    read_or_refuse([&] { follow(Timetable::from_json(text), after); });
    return 0;
}
