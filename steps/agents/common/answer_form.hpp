// The required form of an answer: a JSON Schema, the instruction for the model, and the check of its reply.
//
//     struct Sales { double q1, q2; std::string comment; };
//     BOOST_DESCRIBE_STRUCT(Sales, (), (q1, q2, comment))
//     const auto form = answer_form<Sales>();                     // or AnswerForm::from_file("answer.json")
//     auto read = form->read(reply.text);
//     if (read.mistake.empty()) Sales sales = from_json<Sales>(read.value, "answer");
//
// The reader is lenient: the JSON may stand in a fenced block, or with prose around its only object. The check is
// strict: an unknown member, a missing member or another type is a mistake, a sentence for the model. Immutable.
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
    /// Throws Error{usage} if the JSON is not a schema, or is longer than 256 KB.
    explicit AnswerForm(const nlohmann::json& schema);
    /// Throws Error{configuration} that names the file and its fault.
    static std::shared_ptr<const AnswerForm> from_file(const std::string& path);
    ~AnswerForm();
    AnswerForm(const AnswerForm&) = delete;

    struct FormValue {
        nlohmann::json value;
        std::string mistake;  // empty: the value fits
    };
    FormValue read(std::string_view text) const;
    /// The schema for the request; empty unless its type is object, because protocols carry no other.
    const models::ReplySchema& schema() const noexcept { return schema_; }
    /// The schema in words for the model, because some servers ignore a schema in the request.
    const std::string& instruction() const noexcept { return instruction_; }

private:
    std::unique_ptr<const tools::Validator> validator_;
    models::ReplySchema schema_;
    std::string instruction_;
};

/// Returns a described struct's schema with every field required and no other field allowed.
nlohmann::json closed_schema(nlohmann::json schema);
template <class T> std::shared_ptr<const AnswerForm> answer_form() {
    return std::make_shared<const AnswerForm>(closed_schema(weft::schema<T>()));
}
/// Reads the response of an agent whose options had the form of T.
template <class T> T answer_as(std::string_view response) { return from_json<T>(parse_json(response), "answer"); }
}
