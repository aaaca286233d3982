// The agent of workload F without an engine, on Asio alone, for comparison. It sends the bytes of the react workflow,
// keeps its connection, and reads only the necessary parts of replies. The caller connects the socket.
#pragma once
#include "tests/bench/measure.hpp"
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <string_view>

class RawAgent {
public:
    struct Words {              // shared by all agents
        std::string head;       // the request's head before the value of Content-Length
        std::string beginning;  // the body up to the first message
    };
    RawAgent(boost::asio::ip::tcp::socket socket, const Words& words) : socket_(std::move(socket)), words_(words) {}

    boost::asio::awaitable<std::string> answer(std::string_view question) {
        body_ = words_.beginning;
        say("user", question);
        for (;;) {
            auto text = co_await turn();
            auto parsed = react::parse(text);
            if (parsed.answer) co_return std::move(parsed.text);
            say("assistant", text);
            say("user", react::call(parsed));
        }
    }
    boost::asio::ip::tcp::socket& socket() { return socket_; }

private:
    boost::asio::awaitable<std::string> turn() {
        const auto messages = body_.size();
        body_ += "]}";
        request_ = words_.head;
        (request_ += std::to_string(body_.size())) += "\r\n\r\n";
        request_ += body_;
        body_.resize(messages);
        co_await boost::asio::async_write(socket_, boost::asio::buffer(request_), boost::asio::use_awaitable);
        reply_.clear();
        std::size_t head = 0, whole = 0;  // whole = 0: a chunked reply
        for (bool ended = false; !ended;) {
            char bytes[16384];
            const auto n = co_await socket_.async_read_some(boost::asio::buffer(bytes), boost::asio::use_awaitable);
            reply_.append(bytes, n);
            if (!head) {
                const auto blank = reply_.find("\r\n\r\n");
                if (blank == reply_.npos) continue;
                head = blank + 4;
                if (const auto at = reply_.find("Content-Length: "); at < head)
                    whole = head + std::strtoul(reply_.c_str() + at + 16, nullptr, 10);
            }
            ended = whole ? reply_.size() >= whole : reply_.ends_with("\r\n0\r\n\r\n");
        }
        co_return content(head);
    }
    /// Returns all "content" members of the reply, joined.
    std::string content(std::size_t from) const {
        constexpr std::string_view name = "\"content\":\"";
        std::string text;
        for (auto at = reply_.find(name, from); at != reply_.npos; at = reply_.find(name, at))
            for (at += name.size(); reply_[at] != '"'; ++at) {
                if (reply_[at] != '\\') text += reply_[at];
                else if (reply_[++at] == 'n') text += '\n';
                else text += reply_[at];
            }
        return text;
    }
    void say(std::string_view role, std::string_view content) {
        ((body_ += ",{\"role\":\"") += role) += "\",\"content\":\"";
        for (const char c : content) {
            if (c == '"' || c == '\\') body_ += '\\';
            if (c == '\n') body_ += "\\n";
            else body_ += c;
        }
        body_ += "\"}";
    }

    boost::asio::ip::tcp::socket socket_;
    const Words& words_;
    std::string body_, request_, reply_;
};
