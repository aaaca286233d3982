// One cell of the table of situations: an agent asks a model of a protocol, streamed or whole, whose server is odd.
//
//     const auto outcome = run_cell(cell, serve);      // serve: what the server sends for a request
//     outcome.answer;                                  // or outcome.error
#pragma once
#include "tests/steps/situations/bodies.hpp"
#include <functional>

namespace situations {
enum class AgentKind { react, agent, reflect, plain, schema };
inline constexpr AgentKind agent_kinds[] = {AgentKind::react, AgentKind::agent, AgentKind::reflect, AgentKind::plain,
                                            AgentKind::schema};
struct Cell {
    AgentKind agent = AgentKind::plain;
    const Protocol* protocol = nullptr;
    bool streamed = false;
    bool calls() const { return agent == AgentKind::agent || agent == AgentKind::schema; }  // by the protocol
    bool loops() const { return agent != AgentKind::plain; }
    bool is(const char* name) const { return std::string_view(protocol->name) == name; }
    std::string name() const;
};
/// A request as it came, head and body, and how many came before it.
struct Asked {
    std::string text;
    int before = 0;
    bool has(std::string_view part) const { return text.find(part) != text.npos; }
};
using Serve = std::function<Body(const Asked&)>;
struct Outcome {
    std::string answer, error;
    std::vector<std::string> ran;  // the arguments that the tool was called with
    int requests = 0;
};
/// The words of a model that makes no mistake: the answer in the end, after two calls of the tool where it has any.
Said sound_reply(const Cell&, const Asked&);
inline const std::string answer_text = "It is 42.";
std::string expected_answer(const Cell&);
std::vector<std::string> expected_runs(const Cell&);
Outcome run_cell(const Cell&, const Serve&);
}
