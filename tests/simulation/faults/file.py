"""Faults of the store in a SQLite file, whose disk fails and loses its power."""
PLACE = "the SQLite file, its disk and its power"
FAULTS = {
    "engine/store/sqlite/file.cpp": [
        ("a call is answered before it is on the disk",
         '(is_fast ? "normal" : "full")', '(is_fast || PLANTED ? "normal" : "full")'),
    ],
    "engine/store/sqlite/sqlite_store.cpp": [
        ("the mark of the last tick is written before the tick",
         "file_.mark(marked_ = last);", "file_.mark((marked_ = last) + (PLANTED ? 1 : 0));"),
        ("a call whose transaction has met an error of the disk counts as stored",
         "if (ticket && tables_->ticket() == ticket) return;",
         "if (PLANTED || (ticket && tables_->ticket() == ticket)) return;"),
        ("calls of a failed transaction are not repeated",
         "    else one_by_one(calls);\n}\nvoid SqliteStore::Writer::one_by_one",
         "    else if (!PLANTED) one_by_one(calls);\n}\nvoid SqliteStore::Writer::one_by_one"),
    ],
}
