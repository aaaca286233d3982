"""The time limit of any wait in a test: only a hang takes longer, because tests may not depend on a machine's speed."""
LIMIT = 600  # seconds; for mjs: tests/server/limit.mjs, for C++: tests/support/limit.hpp
