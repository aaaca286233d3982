// The form that an answer has to have: a JSON Schema, what a model is told about it, and the check of what it wrote.
//
//     struct Sales { double q1, q2; std::string comment; };
//     BOOST_DESCRIBE_STRUCT(Sales, (), (q1, q2, comment))
//     const auto form = answer_form<Sales>();                     // or AnswerForm::from_file("answer.json")
//     auto read = form->read(reply.text);
//     if (read.mistake.empty()) Sales sales = from_json<Sales>(read.value, "answer");
//
// A reply is read leniently - it may stand in a fenced block, or in prose around the only object - and checked
// strictly: what is not asked for, missing or of another type is a mistake, told in a sentence for the model.
// Immutable.
#pragma once
#include "engine/json.hpp"
#include "steps/models/chat_model.hpp"
#include <memory>

namespace weft::tools {
class Validator;
}
namespace weft::agents {
class AnswerForm {
public:
    /// Throws Error{usage} if it is no schema.
    explicit AnswerForm(const nlohmann::json& schema);
    /// Throws Error{configuration} that names the file and what is wrong with it.
    static std::shared_ptr<const AnswerForm> from_file(const std::string& path);
    ~AnswerForm();
    AnswerForm(const AnswerForm&) = delete;

    struct Read {
        nlohmann::json value;
        std::string mistake;  // empty: the value fits
    };
    Read read(std::string_view text) const;
    /// For the request; empty if the protocols cannot carry it, because they want an object.
    const models::ReplySchema& schema() const noexcept { return schema_; }
    /// What the model is told besides, because not every server keeps to a schema.
    const std::string& instruction() const noexcept { return instruction_; }

private:
    std::unique_ptr<const tools::Validator> validator_;
    models::ReplySchema schema_;
    std::string instruction_;
};

/// Of a described struct: every field is asked for, and no other one.
nlohmann::json closed_schema(nlohmann::json schema);
template <class T> std::shared_ptr<const AnswerForm> answer_form() {
    return std::make_shared<const AnswerForm>(closed_schema(weft::schema<T>()));
}
/// The response of an agent whose options had such a form.
template <class T> T answer_as(std::string_view response) { return from_json<T>(parse_json(response), "answer"); }
}
