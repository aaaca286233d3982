// The tools that come with weft, in the order in which a model best reads them. They only read, so all are parallel.
#pragma once
#include "tools/registry.hpp"

namespace weft::tools {
class Database;
/// The database's, the calculator, arithmetic, capitals. The database outlives the registry.
Registry standard(Database&);
}
