// Finds stored names of events, steps and slots among the present ones. A program of another compiler, or an older one,
// may have written them in another form.
//
//     AskOf<long int>, AskOf<long>                        the event AskOf<long>
//     rank<long int>                                      the step rank, or rank(Ask<long>) where there are several
#pragma once
#include "engine/core/carry.hpp"
#include <functional>
#include <optional>
#include <string_view>

namespace weft::core {
/// Whether two names denote the same event, slot or type.
bool are_one_name(std::string_view, std::string_view);
/// Whether two names may denote the same step: template arguments do not count.
bool may_be_one_step(std::string_view, std::string_view);
/// The index of a stored name among the names that `name_of` gives. An identical name comes first; only without one the
/// search accepts another compiler's form.
template <class Named, class Same, class NameOf = std::identity>
std::optional<std::size_t> find_stored(const Named& all, std::string_view stored, Same same, NameOf name_of = {}) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (std::invoke(name_of, all[i]) == stored) return i;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (same(stored, std::invoke(name_of, all[i]))) return i;
    return {};
}
/// The present names, in `to`, of the steps and events of `from`: by the user's renames, or in another compiler's form.
/// The accepted events distinguish steps that differ only in template arguments.
Renames present_names(const NamedPlan& from, const NamedPlan& to, const Renames& given);
}
