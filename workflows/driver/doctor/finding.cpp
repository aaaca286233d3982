// A check shares its result with the thread that waits, because either may outlive the other.
#include "workflows/driver/doctor/finding.hpp"
#include "engine/error.hpp"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace weft::driver {
namespace {
struct CheckResults {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::optional<Findings>> found;
    std::size_t left = 0;
};
Findings without_thread(const DoctorCheck& check) {
    Finding finding{.about = check.about};
    return {finding.block("no thread can be started, and an engine needs some",
                          "raise the limit of processes, by ulimit -u or for the container")};
}
Findings tried(const DoctorCheck& check) {
    try {
        return check.find();
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::resource_unavailable_try_again) return without_thread(check);
        return {Finding{.about = check.about}.block(error.what(), "")};
    } catch (const std::exception& error) { return {Finding{.about = check.about}.block(error.what(), "")}; }
}
}
Finding& Finding::refuse(const std::string& more, const std::string& remedy) {
    mark = FindingMark::wrong;
    text += more;
    cure = remedy;
    return *this;
}
Finding& Finding::block(const std::string& more, const std::string& remedy) {
    blocks = true;
    return refuse(more, remedy);
}
Findings run_checks(const std::vector<DoctorCheck>& checks, std::chrono::milliseconds limit, bool& hangs) {
    const auto results = std::make_shared<CheckResults>();
    results->found.resize(checks.size());
    results->left = checks.size();
    std::vector<std::thread> threads;
    const auto keep = [results](std::size_t i, Findings found) {
        const std::lock_guard lock(results->mutex);
        results->found[i] = std::move(found);
        --results->left;
        results->changed.notify_one();
    };
    for (std::size_t i = 0; i < checks.size(); ++i) try {
            threads.emplace_back([keep, i, check = checks[i]] { keep(i, tried(check)); });
        } catch (const std::system_error&) {
            threads.emplace_back();
            keep(i, without_thread(checks[i]));
        }
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
    for (auto* thread : ends)
        if (thread->joinable()) thread->join();  // frees what libraries keep for a thread
    return all;
}
}
