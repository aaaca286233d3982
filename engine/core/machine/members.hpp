// The open tokens and groups of each group. The reducer keeps these lists only in workflows with quorums, whose
// collectors cancel the rest.
#pragma once
#include "engine/core/machine/state.hpp"

namespace weft::core {
struct Members {
    Meeting& meeting;

    using MemberList = std::vector<Meeting::Member>;
    static void add(Handle& first, MemberList& all, Handle h) {
        grown(all, h) = {none, first};
        if (first != none) all[first].before = h;
        first = h;
    }
    static void remove(Handle& first, MemberList& all, Handle h) {
        const auto [before, after] = all[h];
        (before == none ? first : all[before].after) = after;
        if (after != none) all[after].before = before;
    }
    void open_group(Handle h) const { grown(meeting.tokens_of, h, none) = grown(meeting.within, h, none) = none; }
    void add_token(Handle group, Handle h) const { add(meeting.tokens_of[group], meeting.tokens, h); }
    void remove_token(Handle group, Handle h) const { remove(meeting.tokens_of[group], meeting.tokens, h); }
    void add_group(Handle outer, Handle h) const { add(meeting.within[outer], meeting.groups, h); }
    void remove_group(Handle outer, Handle h) const { remove(meeting.within[outer], meeting.groups, h); }
};
}
