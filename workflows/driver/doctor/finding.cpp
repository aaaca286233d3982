// A check shares its result with the thread that waits, because either may outlive the other.
#include "workflows/driver/doctor/finding.hpp"
#include "engine/error.hpp"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace weft::driver {
namespace {
struct CheckResults {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::optional<Findings>> found;
    std::size_t left = 0;
};
Findings tried(const DoctorCheck& check) {
    try {
        return check.find();
    } catch (const std::exception& error) {
        return {{.about = check.about, .mark = FindingMark::wrong, .text = error.what(), .cure = {}, .blocks = true}};
    }
}
}
Findings run_checks(const std::vector<DoctorCheck>& checks, std::chrono::milliseconds limit, bool& hangs) {
    const auto results = std::make_shared<CheckResults>();
    results->found.resize(checks.size());
    results->left = checks.size();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < checks.size(); ++i)
        threads.emplace_back([results, i, check = checks[i]] {
            auto found = tried(check);
            const std::lock_guard lock(results->mutex);
            results->found[i] = std::move(found);
            --results->left;
            results->changed.notify_one();
        });
    std::unique_lock lock(results->mutex);
    results->changed.wait_for(lock, limit, [&] { return results->left == 0; });
    hangs = results->left != 0;
    Findings all;
    std::vector<std::thread*> ends;
    for (std::size_t i = 0; i < checks.size(); ++i) {
        if (results->found[i]) {
            for (auto& finding : *results->found[i]) all.push_back(std::move(finding));
            ends.push_back(&threads[i]);
            continue;
        }
        all.push_back({.about = checks[i].about,
                       .mark = FindingMark::wrong,
                       .text = "has not answered within " + std::to_string(limit.count() / 1000) + " s",
                       .cure = "a host or a disk hangs",
                       .blocks = true});
        threads[i].detach();
    }
    lock.unlock();
    for (auto* thread : ends) thread->join();  // frees what libraries keep for a thread
    return all;
}
}
