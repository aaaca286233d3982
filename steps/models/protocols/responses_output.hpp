// Assembles the output of a response, from the events of a stream or from a whole response. Internal to the protocol.
//
//     ResponseOutput output(request);
//     output.add_text(index, id, delta);              // and similar calls for each event
//     output.finish(whole, cut, reply);                // sets reply.calls and reply.native
//
// The position in the output identifies an item, or its id if the server sends no position; items that begin at one
// position with different ids are separate. A finished item takes precedence over its pieces.
#pragma once
#include "steps/models/protocols/parts/call_assembler.hpp"
#include "steps/models/protocols/wire/wire.hpp"
#include <string_view>
#include <vector>

namespace weft::models {
class ResponseOutput {
public:
    explicit ResponseOutput(const ChatRequest& request) : calls_(request) {}
    /// index: -1 if the event has none; id: empty if it has none.
    void begin(std::int64_t index, const wire::json& item);
    void add_text(std::int64_t index, std::string_view id, std::string_view text);
    void add_arguments(std::int64_t index, std::string_view id, std::string_view piece);
    void set_arguments(std::int64_t index, std::string_view id, std::string arguments);
    void end(std::int64_t index, const wire::json& item);
    /// True if this item's text came in deltas; else the finished item's text must be added.
    bool has_text(std::int64_t index, std::string_view id) { return !at(index, id).text.empty(); }
    /// `whole`: the output in the response's last event; may be null. `cut`: the reply was cut for its length.
    void finish(const wire::json& whole, bool cut, ChatReply&);
    static std::string id_of(const wire::json& item);  // some servers give calls only a call_id
    static std::string text_of(const wire::json& item, const char* type = "output_text");  // "output_text" or "refusal"

private:
    struct Item {
        std::int64_t index = -1;
        std::string id, text, arguments;
        wire::json item;
        bool ended = false;
    };
    Item& at(std::int64_t index, std::string_view id, bool begins = false);
    static void fill(wire::json& value, const Item&);
    wire::json settled(Item&, const wire::json& whole) const;

    CallAssembler calls_;
    std::vector<Item> items_;
    std::size_t last_ = 0;  // index of the latest event's item
};
}
