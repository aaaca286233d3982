// Writes pages for the browser test: page_sample FOLDER PORT. One page is an ordinary run, the others are hostile; a
// text that runs as script sends a request to the server at the port.
#include "steps/view/html_page.hpp"
#include "tests/support/trace.hpp"
#include <cstdio>

namespace {
std::vector<test::TraceEntry> ordinary() {
    using namespace test;
    Trace trace("How did sales vary between Q1 and Q2 of 2024 in percentage and amount?");
    trace.on(any(ReflectionEvent{0, "I need the sales of both quarters; each is a question of its own."}));
    trace.on(any(RequestEvent{0, "decomposition", json_text("How did sales vary?")}));
    trace.on(any(DecompositionEvent{{"What were the sales of Q1?", "What were the sales of Q2?"}}));
    for (int n : {1, 2}) {
        trace.on(any(SubQuestionEvent{n, n == 1 ? "What were the sales of Q1?" : "What were the sales of Q2?"}));
        trace.on(any(ReflectionEvent{n, "The schema tells the columns."}));
        trace.on(any(RequestEvent{n, "sql_db_schema", json_text("orders")}));
        trace.on(any(ResultEvent{n, "sql_db_schema", "id INTEGER\norder_date TEXT\ntotal REAL", true}));
        trace.on(any(RequestEvent{n, "sql_db_query", json_text("SELECT sum(total) FROM orders WHERE <quarter>")}));
        trace.on(any(ResultEvent{n, "sql_db_query", n == 1 ? "no such column: quarter" : "[(17200,)]", n != 1}));
        trace.on(any(SubAnswerEvent{n, n == 1 ? "5500" : "17200"}));
    }
    trace.on(any(SummaryEvent{"Q1 had 5500, Q2 had 17200."}));
    trace.on(any(RetryEvent{0, "it is not a JSON object", "I would say 11700."}));
    AnswerEvent answer;
    answer.response = "Sales rose by 11700, that is by 212.73 %.";
    answer.usage = {5400, 310};
    trace.on(any(answer));
    return trace.entries();
}
}

int main(int argc, char** argv) {
    if (argc != 3) return std::fputs("usage: page_sample FOLDER PORT\n", stderr), 2;
    using namespace test;
    const std::string folder = argv[1], server = "http://127.0.0.1:" + std::string(argv[2]);
    const auto save = [&](const std::string& name, const std::vector<TraceEntry>& entries, const PageHeader& header) {
        save_page(folder + '/' + name + ".html", html_page(entries, header));
    };
    save("ordinary", ordinary(), {.outcome = "answered", .workflow = "reflect", .model = "script:sales-reflect"});
    // These are first, because a page is bounded.
    std::vector<std::string> texts{
        "<img src=\"" + server + "/img\"><link rel=stylesheet href='" + server + "/css'><script src=" + server +
            "/js></script><meta http-equiv=refresh content='0;url=" + server + "/go'>",
        "'\"></a><iframe src=" + server + "/frame></iframe><style>@import '" + server + "/import'</style>"};
    texts.insert(texts.end(), hostile_texts().begin(), hostile_texts().end());
    std::vector<TraceEntry> all;
    for (const auto& text : texts)
        for (const auto& entry : every_kind(text)) all.push_back(entry);
    save("hostile", all, {texts[0], texts[1], texts[0], texts[1], texts[0], texts[1]});
}
