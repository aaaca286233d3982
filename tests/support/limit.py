"""How long anything in a test may take: only a hang takes longer, as nothing may depend on how fast a machine is."""
LIMIT = 600  # seconds; for mjs it stands in tests/server/limit.mjs, for C++ in tests/support/limit.hpp
