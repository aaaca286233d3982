// The reflect agent divides a question. The model is a bundled script; the tools are real.
#include "engine/engine.hpp"
#include "steps/agents/reflect/events.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include "workflows/catalog/scripts.hpp"
#include "workflows/reflect.hpp"
#include <iostream>
using namespace weft;
using namespace weft::agents;

// [watch]
template <class R> awaitable<AnswerEvent> watch(R run) {
    while (auto event = co_await run.next_event()) {
        if (auto* asks = event->template get_if<RequestEvent>())
            std::cout << asks->sub_question << ' ' << asks->request << '\n';
        if (auto* begins = event->template get_if<SubQuestionEvent>())
            std::cout << begins->sub_question << ' ' << begins->text << '\n';
        if (auto* ends = event->template get_if<SubAnswerEvent>())
            std::cout << ends->sub_question << " -> " << ends->text << '\n';
    }
    auto answer = co_await run.result();
    co_return answer;
}
// [/watch]

int main() {
    // [agent]
    models::ScriptedModel model(catalog::bundled_script("sales-reflect"));
    Pool pool;
    tools::Database sales(pool);  // the sample database
    const auto tools = tools::standard(sales);
    ConversationMemory memory;
    ReflectOptions options;
    options.max_steps = 10;  // for the question, and for each sub-question
    auto agent = workflows::reflect.with(model, memory, tools, options);

    Engine engine;
    auto answer = engine.wait(watch(engine.start(agent, {.text = model.script().question})));
    std::cout << answer.response << '\n' << answer.sources.size() << " sources\n";
    // [/agent]
}
// prints:
// 0 decomposition
// 1 What were the total sales in Q1 of 2024?
// 1 list_sql_tables
// 1 sql_db_schema
// 1 sql_db_query
// 1 final_answer
// 1 -> The total sales in Q1 of 2024 were 5500.
// 2 What were the total sales in Q2 of 2024?
// 2 sql_db_query
// 2 final_answer
// 2 -> The total sales in Q2 of 2024 were 17200.
// 3 By what amount, and by what percentage, do the sales of Q2 differ from those of Q1?
// 3 math_calculator
// 3 math_calculator
// 3 final_answer
// 3 -> Sales were higher by 11700 in Q2, which is 212.73 % of those of Q1.
// 0 final_answer
// Sales rose from 5500 in Q1 to 17200 in Q2 of 2024: by 11700, which is an increase of 212.73 %.
// 6 sources
