// Changes the declaration of the tool only; permissions still decide whether a call runs.
#include "tools/parallel.hpp"
#include "tools/wrapper.hpp"

namespace weft::tools {
namespace {
class Parallel final : public ToolWrapper {
public:
    explicit Parallel(std::shared_ptr<Tool> tool) : ToolWrapper(std::move(tool)) {}
    bool is_parallel() const override { return true; }
};
}

std::shared_ptr<Tool> parallel(std::shared_ptr<Tool> tool) { return std::make_shared<Parallel>(std::move(tool)); }
}
