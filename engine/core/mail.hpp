// Mail of a stored run: answers for the run or a child, and cancellations. A tick takes each letter, so it counts once;
// the tick of a letter that fits nothing reports it.
#pragma once
#include "engine/core/loop/run_core.hpp"

namespace weft::storage {
struct Mail;
}
namespace weft::core {
void take_mail(RunCore& root, const storage::Mail&);
void take_kept_mail(RunCore& child);   // mail that came before the child was in memory
void refuse_kept_mail(RunCore& root);  // mail for children that have not come back
}
