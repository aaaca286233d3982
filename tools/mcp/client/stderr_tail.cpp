// The formats of Node, Deno, Bun, Python, Java, .NET, Go, Rust and Ruby. The last of several errors counts: "Caused by"
// in Java, "During handling of" in Python.
#include "tools/mcp/client/stderr_tail.hpp"
#include "engine/text/text.hpp"
#include <re2/re2.h>
#include <vector>

namespace weft::tools::mcp {
namespace {
bool is_of_a_stack(std::string_view line) {
    static const re2::RE2 stack(
        R"re(^\s+at\s|^\s+File ".*", line \d+|^\s+from .*:\d+|^goroutine \d+|^\t.*\.go:\d+|^\s*\^+\s*$|)re"
        R"re(^Node\.js v\d|^node:internal|^\s+\.\.\. \d+ |^note: run with|^npm (?:error|ERR!) A complete log)re");
    return re2::RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), stack);
}
bool names_an_error(std::string_view line) {
    static const re2::RE2 named(
        R"re(^(?:Uncaught |Caused by: |Unhandled exception|Exception in thread|panic: |fatal error: |)re"
        R"re(thread '.*' panicked|(?:error|Error|ERROR|fatal|Fatal|FATAL)\b[^\n]*:|)re"
        R"re([A-Za-z_][\w.]*(?:Error|Exception)\b[^:]{0,60}(?::|$))|)re"
        R"re(\([A-Z]\w*Error\)$)re");
    return re2::RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), named);
}
}

std::string stderr_tail(std::string_view errors, std::size_t most) {
    std::vector<std::string_view> lines;
    std::size_t reason = std::string_view::npos;
    for (auto rest = trimmed_end(errors); !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const auto line = trimmed_end(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty() || is_of_a_stack(line)) continue;
        if (names_an_error(line)) reason = lines.size();
        lines.push_back(line);
    }
    std::string text;
    if (reason != std::string_view::npos) {
        for (auto i = reason; i < lines.size() && text.size() <= most; ++i) text += std::string(lines[i]) + "\n";
        return text;
    }
    for (auto i = lines.size(); i-- > 0;) {
        if (text.size() + lines[i].size() > most && !text.empty()) break;
        const auto part = lines[i].size() > most ? lines[i].substr(lines[i].size() - most) : lines[i];
        text.insert(0, std::string(part) + "\n");
    }
    return text;
}
}
