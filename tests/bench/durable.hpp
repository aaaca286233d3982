// Workload G: durable runs.
#pragma once
#include <string_view>

/// Runs one part, or without a name all of these: one, many, long, react, interrupted, idle. The part `steps` is a run
/// of `size` steps.
void durable_runs(std::string_view part, long size);
void durable_react();  // the bytes that an agent's turn stores
