// The place of WarningEvent in version 0.1; it goes with version 0.3.
#pragma once
#include "steps/agents/common/events.hpp"
