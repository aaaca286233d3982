// One cell of the table of situations: an agent, and a model of a protocol, streamed or whole, with an odd server.
//
//     const auto outcome = run_cell(cell, serve);      // serve(request): the server's answer
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
    bool calls() const { return agent == AgentKind::agent || agent == AgentKind::schema; }  // a form in the protocol
    bool loops() const { return agent != AgentKind::plain; }
    bool is(const char* name) const { return std::string_view(protocol->name) == name; }
    std::string name() const;
};
/// A received request, head and body, and the number of earlier ones.
struct Asked {
    std::string text;
    int before = 0;
    bool has(std::string_view part) const { return text.find(part) != text.npos; }
};
using Serve = std::function<Body(const Asked&)>;
struct Outcome {
    std::string answer, error;
    std::vector<std::string> ran;  // the arguments of the tool's calls
    int requests = 0;
};
/// The texts of a faultless model: the answer, after two calls of the tool if it has one.
Said sound_reply(const Cell&, const Asked&);
inline const std::string answer_text = "It is 42.";
std::string expected_answer(const Cell&);
std::vector<std::string> expected_runs(const Cell&);
Outcome run_cell(const Cell&, const Serve&);
}
