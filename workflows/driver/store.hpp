// Functions shared by the commands on stored runs.
#pragma once
#include "workflows/catalog/open_store.hpp"
#include "workflows/driver/options.hpp"

namespace weft::driver {
/// The value of --store, else of WEFT_STORE. Throws Error{usage} if neither is given.
std::string store_name(const Choices&);
/// The same; empty if none is named.
std::string store_or_none(const Choices&);
/// The name of the store for a message: without the password of an address.
std::string named_store(const Choices&);
/// Refuses one file for two options, so that a page cannot replace a database. Throws Error{usage}.
void refuse_shared_files(const catalog::AgentOptions&, const DisplayOptions&);
/// The options of a command that starts runs, with the store that keeps them, if any. Throws Error{usage} if two
/// options name the same file.
catalog::AgentOptions keeping_options(const Choices&, const std::string& command);
/// Opens the store to read it and to send mail to its runs, also beside an engine.
catalog::OpenedStore visit_store(const Choices&);

/// Opens the store to put runs into it. Opens a file as a visitor, because it may belong to a worker; creates it if it
/// does not exist.
catalog::OpenedStore open_beside(const Choices&);

/// A cell of a table: the text neutralised, in one line, cut or padded to this number of columns.
std::string cell(std::string_view text, std::size_t columns);
/// "5s", "12m", "3h", "40d"
std::string age(std::int64_t microseconds);  // since this time
/// Quotes the text for a POSIX shell.
std::string shell_quoted(std::string_view text);
}
