// Figures that depend on the disk: each slice is measured between two slices of the bare disk, because a shared disk
// changes its speed. A slice does not count if the disk's rate has changed by more than 2x; a figure is void if less
// than half of its slices count.
#pragma once
#include "tests/bench/measure.hpp"
#include <fcntl.h>
#include <filesystem>

inline constexpr double slice_ns = 0.4e9;

/// A folder in that of the variable WEFT_BENCH_FOLDER, or beside the program, so that it is on a disk; removed by the
/// destructor.
class BenchFolder {
public:
    BenchFolder() : path_(parent() / ("store-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~BenchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    BenchFolder(const BenchFolder&) = delete;
    std::string file(const char* name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }

private:
    static std::filesystem::path parent() {
        const char* chosen = std::getenv("WEFT_BENCH_FOLDER");
        return chosen ? chosen : std::filesystem::read_symlink("/proc/self/exe").parent_path();
    }
    std::filesystem::path path_;
};

/// The limit: sequential writes of 512 bytes to a file, each with a sync. Either the file grows, like a file of SQLite,
/// or it exists before and is overwritten, like the logs of PostgreSQL.
class BareDisk {
public:
    enum class File { grows, is_there };
    explicit BareDisk(const BenchFolder& folder, double slice = slice_ns, File file = File::grows)
        : slice_(slice),
          size_(file == File::grows ? 0 : 16 << 20),
          file_(::open(folder.file("bare").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        require(file_ >= 0, "the file of the bare disk");
        const std::string zeros(1 << 20, '\0');
        for (off_t at = 0; at < size_; at += off_t(zeros.size())) write(zeros, at);
        require(!::fsync(file_), "sync");
    }
    ~BareDisk() { ::close(file_); }
    BareDisk(const BareDisk&) = delete;
    double slice() const { return slice_; }  // ns
    double rate() {
        const std::string record(512, 'x');
        const double begin = now();
        long done = 0;
        for (; now() < begin + slice_; ++done) {
            write(record, at_);
            require(!::fdatasync(file_), "sync");
            at_ += off_t(record.size());
            if (size_ > 0) at_ %= size_;
        }
        return double(done) / (now() - begin) * 1e9;
    }

private:
    void write(const std::string& bytes, off_t at) const {
        require(::pwrite(file_, bytes.data(), bytes.size(), at) == long(bytes.size()), "write");
    }
    const double slice_;
    const off_t size_;  // 0: the file grows
    int file_;
    off_t at_ = 0;
};

/// Slices, each as a ratio to the rate measured beside it.
class Slices {
public:
    explicit Slices(BareDisk& disk, const char* workload = "G")
        : disk_(disk), workload_(workload), before_(disk.rate()) {
        see(before_);
    }
    /// `ours` and `other` work for a slice and give their rates; without `other` the limit is the disk's rate.
    template <class Ours> void add(Ours ours) {
        const double rate = ours(), before = before_, after = next();
        count(before, after, rate / ((before + after) / 2));
    }
    template <class Ours, class Other> void add(Ours ours, Other other) {
        const double limit = other(), rate = ours(), before = before_;
        count(before, next(), rate / limit);
    }
    void tell(const char* metric) {
        if (2 * ratios_.size() < all_) return out_void("ratio", workload_, metric);
        const double middle = pct(ratios_, .5);
        out("ratio", workload_, metric, middle, "x");
        std::fprintf(stderr, "%s: %.3g, from %.3g to %.3g in %zu of %zu slices; the bare disk: %.0f to %.0f/s\n",
                     metric, middle, ratios_.front(), ratios_.back(), ratios_.size(), all_, least_, most_);
    }

private:
    double next() {
        see(before_ = disk_.rate());
        return before_;
    }
    void count(double before, double after, double ratio) {
        ++all_;
        if (std::max(before, after) <= 2 * std::min(before, after)) ratios_.push_back(ratio);
    }
    void see(double rate) {
        least_ = std::min(least_, rate);
        most_ = std::max(most_, rate);
    }
    BareDisk& disk_;
    const char* workload_;
    double before_, least_ = 1e18, most_ = 0;
    std::vector<double> ratios_;
    std::size_t all_ = 0;
};
