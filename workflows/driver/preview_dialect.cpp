// A script without replies replaces the model.
#include "workflows/driver/preview_dialect.hpp"
#include "steps/agents/common/options.hpp"
#include "workflows/catalog/dialects.hpp"

namespace weft::driver {
PreviewDialect::PreviewDialect(catalog::RunResources& here)
    : tools_(catalog::tools_for(here.options().dialect, here.process().tools(), nobody_, here.react_options().sampling,
                                here.options().fallback)),
      dialect_(catalog::make_dialect(here.options().dialect, tools_, catalog::template_text(here.options()))) {}
}
