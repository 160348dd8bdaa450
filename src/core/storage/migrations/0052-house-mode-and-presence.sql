-- What the household has set the house to. Without a row it is 'home'.
CREATE TABLE house_mode (
  site_id INTEGER PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  mode    TEXT NOT NULL CHECK (mode IN ('home', 'away', 'night', 'holiday')),
  since   INTEGER NOT NULL,                  -- epoch ms
  actor   TEXT NOT NULL,                     -- session:3, automation:12
  name    TEXT                               -- of the person, the scene or the rule at that time
) STRICT;

-- What says whether a person is home: one row for each source of a person, with the last thing that it said.
CREATE TABLE presence_source (
  account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  source     TEXT NOT NULL CHECK (source IN ('hand', 'car', 'device')),
  names      TEXT,                           -- the plate, the id of the device; null: by hand
  says       TEXT CHECK (says IN ('home', 'away')),  -- null: nothing yet
  at         INTEGER,                        -- epoch ms: since when it says so
  PRIMARY KEY (account_id, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX presence_source_by_name ON presence_source (source, names) WHERE names IS NOT NULL;

-- What a scene also sets the house to; null: nothing.
ALTER TABLE scene ADD COLUMN house_mode TEXT CHECK (house_mode IN ('home', 'away', 'night', 'holiday'));
