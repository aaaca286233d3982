// A script without replies takes the place of the model.
#include "workflows/driver/unasked_dialect.hpp"
#include "steps/agents/common/options.hpp"
#include "workflows/catalog/dialects.hpp"

namespace weft::driver {
UnaskedDialect::UnaskedDialect(catalog::Setup& setup)
    : tools_(catalog::tools_for(setup.options().dialect, setup.tools(), nobody_, setup.react_options().sampling,
                                setup.options().fallback)),
      dialect_(catalog::make_dialect(setup.options().dialect, tools_, catalog::template_text(setup.options()))) {}
}
