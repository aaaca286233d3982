// The options of `weft` that give a tool what it needs: a member for each, and its row.
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
/// Texts of the command line; a tool without its text is absent.
struct ToolOptions {
    std::string web_hosts = {};  // names with commas
};
/// A stored run keeps the text, and a worker refuses the run.
struct ToolOption {
    std::string ToolOptions::*text;  // the member that gets the option's text
    const char *flag,                // name on the command line
        *value_name,                 // the text's placeholder in the help
        *help;                       // a clause for the help
    std::string_view key;            // the name in the JSON of a stored run
    std::string_view tool, needs;    // needs: the reason why the tool is absent
    bool is_file = false,            // the text is the path of a file
        later = true;                // later: runs of older programs lack it
};
/// A row for each member of ToolOptions.
inline constexpr ToolOption tool_options[] = {
    {&ToolOptions::web_hosts, "--web", "HOSTS",
     "let the agent read pages of these hosts, with commas: en.wikipedia.org,*.example.org", "web_hosts", "http_get",
     "http_get reads only from hosts that are named", false, false},
};
}
