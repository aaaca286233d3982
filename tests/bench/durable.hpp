// Workload G: durable runs.
#pragma once
#include <string_view>

/// Of these parts one, or, without a name, all: one, many, long, react, interrupted, idle.
void durable_runs(std::string_view part);
void durable_react();  // what a turn of an agent stores
