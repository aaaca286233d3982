// The output of a response, put together from the events of a stream or taken whole. Internal to the protocol.
//
//     ResponseOutput output(request);
//     output.add_text(index, id, delta);              // and so on, as events come
//     output.finish(whole, cut, reply);                // gives reply.calls and reply.native
//
// An item is known by its place in the output, or by its id where a server does not say the place; items that begin in
// one place with ids of their own are several. A finished item counts more than its pieces.
#pragma once
#include "steps/models/protocols/call_assembler.hpp"
#include "steps/models/protocols/wire.hpp"
#include <string_view>
#include <vector>

namespace weft::models {
class ResponseOutput {
public:
    explicit ResponseOutput(const ChatRequest& request) : calls_(request) {}
    /// index: -1 if the event does not say; id: empty likewise.
    void begin(std::int64_t index, const wire::json& item);
    void add_text(std::int64_t index, std::string_view id, std::string_view text);
    void add_arguments(std::int64_t index, std::string_view id, std::string_view piece);
    void set_arguments(std::int64_t index, std::string_view id, std::string arguments);
    void end(std::int64_t index, const wire::json& item);
    /// Whether there are deltas of this item's text; else what the finished item says has to be added.
    bool has_text(std::int64_t index, std::string_view id) { return !at(index, id).text.empty(); }
    /// `whole`: the output as the end of the response repeats it, if it does. `cut`: the reply was too long.
    void finish(const wire::json& whole, bool cut, ChatReply&);
    static std::string id_of(const wire::json& item);  // some servers give calls no id but the call's
    static std::string text_of(const wire::json& item, const char* type = "output_text");  // or "refusal"

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
    std::size_t last_ = 0;  // of the items: the one that the last event was about
};
}
