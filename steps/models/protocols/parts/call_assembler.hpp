// Assembles the tool calls of one reply from any pieces that a server sends: one assembler for all protocols.
//
//     CallAssembler calls(request);
//     calls.take({.index = 0, .id = "a1", .name = "add", .arguments = "{\"x\":"});      // for each piece
//     calls.take({.index = 0, .arguments = "1}"});
//     const auto numbers = calls.finish(false, reply.calls);      // for each of reply.calls its number from take()
//
// Index, id and name together identify a call. The pieces of real servers have these meanings:
//   the same index    with another id and a name: a new call; with another id alone: the same call. Without
//                     an id, a name begins a call if the previous arguments are complete
//   a new index       a new call; without id and name a piece of the last call
//   no index          the call with the same id; without an id, a name begins a call as above
//   name              the whole name again is a repetition; else a piece of it, unless arguments have come or
//                     both are names of offered tools
//   arguments         pieces of a text. {}, null and "" beside real arguments are dropped; the same object again is a
//                     repetition; other complete objects are separate calls; an object inside a JSON string is
//                     unwrapped, at most twice. Text that is not JSON stays as the model wrote it
// Identical calls count as one. If two calls share an id, the first keeps it; the other one, and each call without an
// id, gets an id that is unique in the reply. A name becomes that of the offered tool in it
// (steps/models/tool_name.hpp). A call without name and arguments is dropped. Throws Fault for more calls or arguments
// than the bounds, and for arguments without a name in a reply that was not cut. Linear.
#pragma once
#include "steps/models/call_ids.hpp"
#include "steps/models/chat_model.hpp"

namespace weft::models {
class CallAssembler {
public:
    struct Piece {
        std::int64_t index = -1;  // -1: none
        std::string_view id = {}, name = {}, arguments = {};
        bool whole = false;  // no further piece follows
    };
    explicit CallAssembler(const ChatRequest&);
    /// Returns the number of the piece's call, counted from 0 in the order of the calls' beginnings.
    std::size_t take(const Piece&);
    bool empty() const { return calls_.empty(); }
    static bool is_placeholder(std::string_view arguments);
    /// Throws Fault if `bytes`, the sum over all calls of a reply, is above the bound.
    static void check_arguments(std::size_t bytes);
    /// Fills `calls`, in the order of their indexes if all have one, and returns the number of each. Call it once.
    /// `cut`: the reply was cut for its length, so a call without a name is incomplete and dropped.
    std::vector<std::size_t> finish(bool cut, std::vector<ToolCall>& calls);

private:
    /// Finds the end of the first JSON value of a growing text.
    struct Extent {
        int depth = 0;
        bool in_string = false, escaped = false, ended = false, odd = false;  // odd: not an object
        void take(std::string_view);
    };
    struct AssembledCall {
        std::int64_t index = -1;
        ToolCall call;
        Extent extent;
        std::size_t last_object = 0;  // start of the last piece that begins like an object
        bool whole = false;
    };
    std::size_t find(const Piece&) const;  // calls_.size(): a new one
    bool begins(const AssembledCall&, const Piece&) const;
    bool is_offered(std::string_view name) const;

    std::vector<std::string> offered_;
    const std::size_t before_;
    std::vector<AssembledCall> calls_;
    std::size_t arguments_ = 0;  // total bytes
};
}
