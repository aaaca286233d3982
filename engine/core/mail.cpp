// Finds the run and the question of a mail, also by the names of a former declaration.
#include "engine/core/mail.hpp"
#include "engine/core/event_reader.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/machine/questions.hpp"
#include "engine/core/record.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::core {
using namespace storage;
using nlohmann::json;

/// Refuses numbers such as -1 or 0.7, because conversion would give the id of another question.
QuestionId read_question(const json& id) {
    const auto read = id.is_number_unsigned() ? QuestionId(id.get<std::uint64_t>()) : QuestionId::none;
    if (read == QuestionId::none) throw Error(Code::usage, "no question has the id " + id.dump());
    return read;
}
std::optional<TypeIndex> answer_named(const RunCore& run, const std::string& name, QuestionId question,
                                      std::span<const Renames> renames) {
    const auto& d = *run.definition;
    std::optional<TypeIndex> found;
    const auto fits = [&](const std::string& present) {
        const auto type = event_named(d, present);
        if (!type || d.plan.events[*type].answers == no_type) return false;
        if (!found) found = type;
        if (answered_question(d.plan, run.state, *type, question) == none) return false;
        found = type;
        return true;
    };
    if (fits(name)) return found;
    std::string present = name;
    for (auto& given : renames) {
        const auto now = std::ranges::find_if(given, [&](auto& pair) { return are_one_name(pair.first, present); });
        if (now == given.end()) continue;
        present = now->second;
        if (fits(present)) break;
    }
    return found;
}
namespace {
/// Empty unless the mail is a JSON object.
journal::MailRecord record_of(const Mail& mail) {
    return journal::read_mail(mail.body).value_or(journal::MailRecord());
}
/// The answer in the mail, in a cell of the run. Throws for mail without an answer.
Emitted read_answer(RunCore& run, const journal::MailRecord& record, QuestionId question) {
    const auto name = record.event.value().get<std::string>();
    const auto type = answer_named(run, name, question, {&run.extras->track->renames, 1});
    if (!type) throw Error(Code::usage, name + " answers no question");
    return {put_event(run, *type, record.data.value(), run.definition->plan.events[*type].count), *type};
}
void refuse_mail(RunCore& run, const std::string& id, const journal::MailRecord& mail) {
    Track& track = *run.extras->track;
    const journal::RefusedRecord record{.at = wall_us(run), .mail = id, .run = track.path};
    track.log->append(journal::write_record(record), {id}, {});
    track.log->end_at_limit();
    if (mail.cancel == json(true)) return;  // the run is about to end
    const bool is_named = mail.event && mail.event->is_string();
    report_unhandled(run, is_named ? mail.event->get<std::string>() : std::string("mail without an event"));
}
void put_mail(RunCore& run, const std::string& id, const journal::MailRecord& record) {
    Emitted answer{};
    auto question = QuestionId::none;
    try {
        if (record.question) question = read_question(*record.question);
        answer = read_answer(run, record, question);
    } catch (const std::exception&) { return refuse_mail(run, id, record); }
    run.extras->track->extra.mail = id;
    run.arrive(answer, question);
}
}
bool take_mail(RunCore& root, const Mail& mail) {
    auto& log = *root.extras->track->log;
    if (root.state.status != RunStatus::running || !root.loop.load()
                                                        ->keeper()
                                                        .apply(log, {durability::Input::mail})
                                                        .contains(durability::DurableCommand::take_mail))
        return true;
    const auto record = record_of(mail);
    // Else further signals could keep the run from beginning again forever. A cancellation is urgent.
    if (root.extras->waiting_start && !record.cancel) return false;
    if (!log.is_new_mail(mail.id)) return true;
    ++log.mail_known;
    try {
        if (record.cancel.value_or(false).get<bool>()) {
            if (root.state.ending != EndingPhase::not_begun && mail.id != journal::end_undoing_mail) {
                refuse_mail(root, mail.id, record);
                return true;
            }
            root.extras->track->extra.mail = mail.id;
            root.end_by(RunStatus::cancelled);
            return true;
        }
        const auto path = record.run.value_or("").get<std::string>();
        const auto to = std::find_if(log.family.begin(), log.family.end(),
                                     [&](auto* run) { return run->extras->track->path == path; });
        if (to != log.family.end()) put_mail(**to, mail.id, record);
        else log.mail_of_children.push_back({path, mail});  // until the parent's step starts the child again
        if (to == log.family.end() && root.idle()) refuse_kept_mail(root);
    } catch (const std::exception&) { refuse_mail(root, mail.id, record); }
    return true;
}
void take_kept_mail(RunCore& child) {
    auto& kept = child.extras->track->log->mail_of_children;
    const auto first = std::stable_partition(kept.begin(), kept.end(),
                                             [&](auto& mail) { return mail.path != child.extras->track->path; });
    const std::vector<RunLog::ChildMail> own(first, kept.end());
    kept.erase(first, kept.end());
    for (auto& mail : own) put_mail(child, mail.mail.id, record_of(mail.mail));
}
void refuse_kept_mail(RunCore& root) {
    for (auto& mail : std::exchange(root.extras->track->log->mail_of_children, {}))
        refuse_mail(root, mail.mail.id, record_of(mail.mail));
}
}
