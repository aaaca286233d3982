// The tool calls of one reply, put together from whatever pieces a server sends: one assembler for all protocols.
//
//     CallAssembler calls(request);
//     calls.take({.index = 0, .id = "a1", .name = "add", .arguments = "{\"x\":"});      // as often as a piece comes
//     calls.take({.index = 0, .arguments = "1}"});
//     const auto numbers = calls.finish(false, reply.calls);      // which call of take() each of reply.calls is
//
// A call is known by index, id and name together. This is what pieces mean, as servers are met:
//   the same index    with another id and a name: a new call; with another id and no name: the call goes on. Without
//                     an id, a name begins a call once the arguments before it are whole
//   a new index       a new call; without id and name the last call goes on
//   no index          the call with the same id; without an id, a name begins a call as above
//   name              the whole name once more is a repetition; else a piece, as long as no arguments have come and
//                     the two are not both names of offered tools
//   arguments         pieces of a text. {}, null and "" beside real arguments go; the whole object once more is a
//                     repetition; other whole objects are calls of their own; an object inside of a JSON string is
//                     unwrapped, twice at most. Text that is no JSON stays as the model wrote it
// A call that comes twice, to the last byte, is one. An id that two calls share stays with the first; the other one, as
// each call without an id, gets one that no other call of the reply has. A name is that of the offered tool in it
// (steps/models/tool_name.hpp), if there is one. A call without name and arguments is left out. Throws Fault for more
// calls or arguments than the bounds, and for arguments without a name in a reply that was not cut. Linear.
#pragma once
#include "steps/models/call_ids.hpp"
#include "steps/models/chat_model.hpp"

namespace weft::models {
class CallAssembler {
public:
    struct Piece {
        std::int64_t index = -1;  // -1: there is none
        std::string_view id = {}, name = {}, arguments = {};
        bool whole = false;  // nothing more of this call comes
    };
    explicit CallAssembler(const ChatRequest&);
    /// The number of the call that the piece belongs to, from 0, in the order in which calls begin.
    std::size_t take(const Piece&);
    bool empty() const { return calls_.empty(); }
    static bool is_placeholder(std::string_view arguments);
    /// `bytes` is the sum over all calls of a reply. Throws Fault.
    static void check_arguments(std::size_t bytes);
    /// Once. `cut`: the reply was too long, and a call without a name is a part of one. The calls are in the
    /// order of their indexes, if all have one.
    std::vector<std::size_t> finish(bool cut, std::vector<ToolCall>& calls);

private:
    /// Where the first JSON value of a text ends, while it grows.
    struct Extent {
        int depth = 0;
        bool in_string = false, escaped = false, ended = false, odd = false;  // odd: it is no object
        void take(std::string_view);
    };
    struct Call {
        std::int64_t index = -1;
        ToolCall call;
        Extent extent;
        std::size_t last_object = 0;  // where the last piece begins that begins as an object does
        bool whole = false;
    };
    std::size_t find(const Piece&) const;  // calls_.size(): a new one
    bool begins(const Call&, const Piece&) const;
    bool is_offered(std::string_view name) const;

    std::vector<std::string> offered_;
    const std::size_t before_;
    std::vector<Call> calls_;
    std::size_t arguments_ = 0;  // bytes in all
};
}
