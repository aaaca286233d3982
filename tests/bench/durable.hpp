// Workload G: durable runs.
#pragma once
#include <string_view>

/// Runs one part, or without a name all parts: one, many, long, react, interrupted, idle.
void durable_runs(std::string_view part);
void durable_react();  // the bytes that an agent's turn stores
