// The model's reply depends only on the request: each worker gets the same replies as the one before it.
#include "tests/crash/asked_server.hpp"
#include <csignal>
#include <nlohmann/json.hpp>

namespace crash {
namespace {
bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string react_reply(const std::string& body) {
    const auto note = [](const std::string& text) {
        return "Thought: I note it.\nAction: note\nAction Input: {\"text\": \"" + text + "\"}";
    };
    if (has(body, "noted two")) return "Thought: All is noted.\nAnswer: one and two";
    return note(has(body, "noted one") ? "two" : "one");
}
std::string reflect_reply(const std::string& body) {
    const auto request = [](const std::string& name, const nlohmann::json& argument) {
        return nlohmann::json{{"request", name}, {"argument", argument}}.dump();
    };
    const auto messages = nlohmann::json::parse(body).at("messages");
    const auto system = messages.at(0).at("content").get<std::string>();
    const auto text = messages.at(1).at("content").get<std::string>();
    const auto at = text.rfind("QUESTION\n") + 9;
    const auto question = text.substr(at, text.find("\n\n", at) - at);
    if (has(system, "Now you reflect")) return "REFLECTION >> I think about " + question;
    if (has(system, "Take the question apart")) return R"({"sub_questions": ["What is first?", "What is second?"]})";
    if (!has(system, "Now you act")) return R"({"summary": "First one, second two."})";
    if (has(question, "first"))
        return has(text, "noted one") ? request("final_answer", "one") : request("note", {{"text", "one"}});
    if (has(question, "second"))
        return has(text, "noted two") ? request("final_answer", "two") : request("note", {{"text", "two"}});
    return has(text, "First one") ? request("final_answer", "one and two") : request("decomposition", question);
}
std::string event(const nlohmann::json& delta, const nlohmann::json& finish) {
    const nlohmann::json choice = {{"index", 0}, {"delta", delta}, {"finish_reason", finish}};
    return "data: " + nlohmann::json{{"id", "c"}, {"model", "test"}, {"choices", {choice}}}.dump() + "\n\n";
}
}
AskedServer::AskedServer(const std::string& workflow) : workflow_(workflow) {
    server_.emplace(
        std::vector<weft::testing::RudeServer::Session>{[this](weft::testing::Peer& peer) { serve(peer); }});
}
std::size_t AskedServer::asked() const {
    const std::lock_guard lock(mutex_);
    std::size_t n = 0;
    for (auto& [body, count] : requests_) n += std::size_t(count);
    return n;
}
std::size_t AskedServer::repeated() const {
    const std::lock_guard lock(mutex_);
    std::size_t n = 0;
    for (auto& [body, count] : requests_) n += std::size_t(count) - 1;
    return n;
}
void AskedServer::serve(weft::testing::Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
        const auto body = request.substr(request.find("\r\n\r\n") + 4);
        {
            const std::lock_guard lock(mutex_);
            ++requests_[body];
        }
        const bool kills = asked() == kill_at;
        const auto kill = [&](Phase now) {
            if (!kills || phase != now) return false;
            while (worker == 0) std::this_thread::yield();  // the starting thread is about to store the process id
            ::kill(worker, SIGKILL);
            return true;
        };
        if (kill(Phase::before)) return;
        const auto text = workflow_ == "reflect" ? reflect_reply(body) : react_reply(body);
        const auto first = event({{"role", "assistant"}, {"content", text.substr(0, text.size() / 2)}}, nullptr);
        const auto rest = event({{"content", text.substr(text.size() / 2)}}, nullptr) +
                          event(nlohmann::json::object(), "stop") + "data: [DONE]\n\n";
        if (!peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " +
                       std::to_string(first.size() + rest.size()) + "\r\n\r\n" + first))
            return;
        if (kill(Phase::within) || !peer.send(rest)) return;
        if (kill(Phase::after)) return;
    }
}
}
