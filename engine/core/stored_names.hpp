// Stored names of events, steps and slots, found among the present ones: as they are, or as a program of another
// compiler or an older one has written them.
//
//     AskOf<long int>, AskOf<long>                        the event AskOf<long>
//     rank<long int>                                      the step rank, or rank(Ask<long>) where there are several
#pragma once
#include "engine/core/carry.hpp"
#include <optional>
#include <string_view>

namespace weft::core {
/// Whether two names are of one event, one slot or one type.
bool are_one_name(std::string_view, std::string_view);
/// Whether two names may be of one step: template arguments do not count.
bool may_be_one_step(std::string_view, std::string_view);
/// Where the present name of a stored one is: the very same comes before one that another compiler writes.
template <class Names, class Same>
std::optional<std::size_t> find_stored(const Names& names, std::string_view stored, Same same) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view present = names[i];
        if (present == stored) return i;
        if (!found && same(stored, present)) found = i;
    }
    return found;
}
/// What the steps and events of `from` are called in `to`: what the user says, and what compilers make of one name.
/// Two steps with one name but for template arguments are told apart by what they accept.
Renames present_names(const NamedPlan& from, const NamedPlan& to, const Renames& given);
}
