// A collector of several types: one vector has them all, in the order of the fan-out.
#include "engine/run.hpp"
#include <iostream>
using namespace weft;

struct PageEvent : StartEvent {
    std::vector<std::string> lines;  // a picture's line begins with "!"
};
struct LineEvent {
    std::string text;
};
struct PictureEvent {
    std::string file;
};
struct ParagraphEvent {
    std::string text;
};
struct FigureEvent {
    std::string file;
};
struct HtmlEvent : StopEvent {
    std::string text;
};
// [steps]
std::vector<std::variant<LineEvent, PictureEvent>> take_apart(Context&, PageEvent page) {
    std::vector<std::variant<LineEvent, PictureEvent>> all;
    for (auto& line : page.lines) {
        if (line.starts_with('!')) all.emplace_back(PictureEvent{line.substr(1)});
        else all.emplace_back(LineEvent{line});
    }
    return all;
}
ParagraphEvent set(Context&, LineEvent line) { return {"<p>" + line.text + "</p>"}; }
FigureEvent scale(Context&, PictureEvent picture) { return {picture.file}; }
HtmlEvent lay_out(Context&, std::vector<std::variant<ParagraphEvent, FigureEvent>> parts) {
    std::string html;
    for (auto& part : parts) {
        if (auto* paragraph = std::get_if<ParagraphEvent>(&part)) html += paragraph->text;
        else html += "<img src=" + std::get<FigureEvent>(part).file + ">";
    }
    return {.text = html};
}
inline constexpr auto page = workflow("page", step<take_apart>, step<set>, step<scale>, step<lay_out>);
// [/steps]

int main() { std::cout << run(page, {.lines = {"one", "!cat.png", "two"}}).text << '\n'; }
// prints:
// <p>one</p><img src=cat.png><p>two</p>
