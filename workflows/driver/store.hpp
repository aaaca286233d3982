// What the commands on stored runs have in common.
#pragma once
#include "workflows/catalog/open_store.hpp"
#include "workflows/driver/options.hpp"

namespace weft::driver {
/// Of --store, else of WEFT_STORE. Throws Error{usage} if neither is there.
std::string store_name(const Choices&);
/// The same for a sentence: without the password of an address.
std::string named_store(const Choices&);
/// What is read and what is written are files of their own: a page must not replace a database. Throws Error{usage}.
void refuse_shared_files(const catalog::AgentOptions&, const Show&);
/// What a command that starts runs has chosen, with the store that keeps them, if there is to be one. Throws
/// Error{usage} if two options name the same file.
catalog::AgentOptions keeping_options(const Choices&, const std::string& command);
/// The store, to look at it and to send to its runs, also beside an engine.
catalog::OpenedStore visit_store(const Choices&);

/// A cell of a table: the text neutralised, in one line, cut or filled up to so many columns.
std::string cell(std::string_view text, std::size_t columns);
/// "5s", "12m", "3h", "40d"
std::string age(std::int64_t microseconds);  // since then
/// For a shell of the POSIX kind.
std::string shell_quoted(std::string_view text);
}
