// The place of PostgresOptions in version 0.1; it goes with version 0.3.
#pragma once
#include "engine/store/postgres_store.hpp"
