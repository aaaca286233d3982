// Stored names of events, steps and slots, found among the present ones: as they are, or as a program of another
// compiler or an older one has written them.
//
//     AskOf<long int>, AskOf<long>                        the event AskOf<long>
//     rank<long int>                                      the step rank, or rank(Ask<long>) where there are several
#pragma once
#include "engine/core/carry.hpp"
#include <functional>
#include <optional>
#include <string_view>

namespace weft::core {
/// Whether two names are of one event, one slot or one type.
bool are_one_name(std::string_view, std::string_view);
/// Whether two names may be of one step: template arguments do not count.
bool may_be_one_step(std::string_view, std::string_view);
/// Where the present name of a stored one is, among what `name_of` names: the very same comes before one that another
/// compiler writes, which is looked for only if there is no other.
template <class Named, class Same, class NameOf = std::identity>
std::optional<std::size_t> find_stored(const Named& all, std::string_view stored, Same same, NameOf name_of = {}) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (std::invoke(name_of, all[i]) == stored) return i;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (same(stored, std::invoke(name_of, all[i]))) return i;
    return {};
}
/// The names in `to` of the steps and events of `from`, as the user gives them, or as another compiler writes them.
/// Two steps with one name but for template arguments are told apart by what they accept.
Renames present_names(const NamedPlan& from, const NamedPlan& to, const Renames& given);
}
