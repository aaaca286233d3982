// libpq, which is loaded when a process first uses a store in PostgreSQL: with Kerberos, LDAP and GnuTLS it is twenty
// libraries, which take half of the time of a program's start. In weft::storage the names below stand for libpq's.
//
//     if (PQstatus(connection) == CONNECTION_BAD) ...
//
// The first call of each function throws Error if libpq cannot be loaded or lacks the function. Nothing links libpq, so
// a function without a line here is an error of the linker. A static program links libpq instead, and loads nothing.
#pragma once
#include <atomic>
#include <libpq-fe.h>

#ifndef WEFT_STATIC
namespace weft::storage {
void* find_in_libpq(const char* name);

template <class Signature> class LibpqFunction;
template <class Result, class... Arguments> class LibpqFunction<Result(Arguments...)> {
public:
    constexpr explicit LibpqFunction(const char* name) : name_(name) {}
    Result operator()(Arguments... arguments) const {
        auto* function = found_.load(std::memory_order_acquire);
        if (!function) {
            function = reinterpret_cast<Result (*)(Arguments...)>(find_in_libpq(name_));
            found_.store(function, std::memory_order_release);
        }
        return function(arguments...);
    }

private:
    const char* name_;
    mutable std::atomic<Result (*)(Arguments...)> found_ = nullptr;
};

inline constinit LibpqFunction<decltype(::PQbackendPID)> PQbackendPID("PQbackendPID");
inline constinit LibpqFunction<decltype(::PQclear)> PQclear("PQclear");
inline constinit LibpqFunction<decltype(::PQconnectPoll)> PQconnectPoll("PQconnectPoll");
inline constinit LibpqFunction<decltype(::PQconnectStartParams)> PQconnectStartParams("PQconnectStartParams");
inline constinit LibpqFunction<decltype(::PQconninfoFree)> PQconninfoFree("PQconninfoFree");
inline constinit LibpqFunction<decltype(::PQconninfoParse)> PQconninfoParse("PQconninfoParse");
inline constinit LibpqFunction<decltype(::PQconsumeInput)> PQconsumeInput("PQconsumeInput");
inline constinit LibpqFunction<decltype(::PQenterPipelineMode)> PQenterPipelineMode("PQenterPipelineMode");
inline constinit LibpqFunction<decltype(::PQerrorMessage)> PQerrorMessage("PQerrorMessage");
inline constinit LibpqFunction<decltype(::PQfinish)> PQfinish("PQfinish");
inline constinit LibpqFunction<decltype(::PQflush)> PQflush("PQflush");
inline constinit LibpqFunction<decltype(::PQfreemem)> PQfreemem("PQfreemem");
inline constinit LibpqFunction<decltype(::PQgetResult)> PQgetResult("PQgetResult");
inline constinit LibpqFunction<decltype(::PQgetisnull)> PQgetisnull("PQgetisnull");
inline constinit LibpqFunction<decltype(::PQgetlength)> PQgetlength("PQgetlength");
inline constinit LibpqFunction<decltype(::PQgetvalue)> PQgetvalue("PQgetvalue");
inline constinit LibpqFunction<decltype(::PQisBusy)> PQisBusy("PQisBusy");
inline constinit LibpqFunction<decltype(::PQnotifies)> PQnotifies("PQnotifies");
inline constinit LibpqFunction<decltype(::PQntuples)> PQntuples("PQntuples");
inline constinit LibpqFunction<decltype(::PQpass)> PQpass("PQpass");
inline constinit LibpqFunction<decltype(::PQpipelineSync)> PQpipelineSync("PQpipelineSync");
inline constinit LibpqFunction<decltype(::PQresultErrorField)> PQresultErrorField("PQresultErrorField");
inline constinit LibpqFunction<decltype(::PQresultErrorMessage)> PQresultErrorMessage("PQresultErrorMessage");
inline constinit LibpqFunction<decltype(::PQresultStatus)> PQresultStatus("PQresultStatus");
inline constinit LibpqFunction<decltype(::PQsendPrepare)> PQsendPrepare("PQsendPrepare");
inline constinit LibpqFunction<decltype(::PQsendQueryParams)> PQsendQueryParams("PQsendQueryParams");
inline constinit LibpqFunction<decltype(::PQsendQueryPrepared)> PQsendQueryPrepared("PQsendQueryPrepared");
inline constinit LibpqFunction<decltype(::PQsetNoticeReceiver)> PQsetNoticeReceiver("PQsetNoticeReceiver");
inline constinit LibpqFunction<decltype(::PQsetnonblocking)> PQsetnonblocking("PQsetnonblocking");
inline constinit LibpqFunction<decltype(::PQsocket)> PQsocket("PQsocket");
inline constinit LibpqFunction<decltype(::PQstatus)> PQstatus("PQstatus");
inline constinit LibpqFunction<decltype(::PQtransactionStatus)> PQtransactionStatus("PQtransactionStatus");
}
#endif
