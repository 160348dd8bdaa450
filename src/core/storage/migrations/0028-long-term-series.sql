-- Long-term series that are kept elsewhere: where they go, and how far each device's samples have got there.
CREATE TABLE series_target (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  settings TEXT NOT NULL,                      -- JSON (series/setup.ts)
  secret   BLOB                                -- sealed with the hub's key; NULL: none
) STRICT;

-- Every sample of the device up to this time is there; one that comes late takes it back in its own transaction.
CREATE TABLE series_mark (
  device_id TEXT PRIMARY KEY,
  sent_to   INTEGER NOT NULL                   -- epoch ms
) STRICT, WITHOUT ROWID;
