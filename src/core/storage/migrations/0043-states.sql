-- When each state of a device changed, and by whom. Changes of all devices stand in the order of time: what is written
-- together lies on one or two pages, and a day of the whole house is one stretch.
CREATE TABLE state_series (
  id        INTEGER PRIMARY KEY,
  device_id TEXT NOT NULL,
  key       TEXT NOT NULL,
  words     TEXT NOT NULL                      -- JSON: the texts that it has had; 2 is the first
) STRICT;

CREATE TABLE state_change (
  at        INTEGER NOT NULL,                  -- epoch ms
  series_id INTEGER NOT NULL,
  value     INTEGER NOT NULL,                  -- -1 unknown, 0 no, 1 yes, from 2 on a text of the series
  sender    TEXT,                              -- who caused it: kind:id:name; NULL: the device itself
  PRIMARY KEY (at, series_id)
) STRICT, WITHOUT ROWID;

-- The states at the beginning of a day of UTC, so that a stretch is read without what is before it.
CREATE TABLE state_day (
  day      INTEGER PRIMARY KEY,                -- days since 1970
  standing TEXT NOT NULL                       -- JSON: series to [value, since]
) STRICT;
