-- Every time that somebody was to be let in: by whom, at which gate or lock, and what came of it. The plate of a read is the read's alone.
CREATE TABLE opening (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id    INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  device_id  TEXT NOT NULL,
  read_id    INTEGER UNIQUE REFERENCES plate_read(id) ON DELETE CASCADE,
  by_kind    TEXT NOT NULL CHECK (by_kind IN ('person', 'key', 'automation', 'scene', 'plate', 'device', 'hub')),
  by_name    TEXT,                               -- as it was then; null where nobody is known, and for plates
  result     TEXT NOT NULL CHECK (result IN ('waiting', 'opened', 'taken', 'not_opened')),
  reason     TEXT CHECK (reason IN ('offline', 'no_answer', 'not_moved', 'not_sent')),
  at         INTEGER NOT NULL,
  settled_at INTEGER,                            -- when the result became known; null while it waits
  CHECK ((result = 'not_opened') = (reason IS NOT NULL))
) STRICT;
CREATE INDEX opening_by_time ON opening (site_id, at, id);
CREATE INDEX opening_by_device ON opening (device_id, at, id);
CREATE INDEX opening_waiting ON opening (id) WHERE result = 'waiting';
CREATE INDEX opening_by_age ON opening (at);

-- Why the gate was not told to open for a read; null where it was, and for reads from before.
ALTER TABLE plate_read ADD COLUMN not_told TEXT;

-- Times of the week at which a rule holds (JSON array of {days, from, to}); null: at all times.
ALTER TABLE plate_rule ADD COLUMN windows TEXT;

-- What a guest was given. Its rule lets the plate in; the link shows how long, and lets the guest tell the plate as often as tries are left.
CREATE TABLE guest_pass (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id     INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  rule_id     INTEGER UNIQUE REFERENCES plate_rule(id) ON DELETE CASCADE, -- null until the plate is known
  token_hash  TEXT NOT NULL UNIQUE,              -- SHA-256; the link itself is nowhere
  label       TEXT NOT NULL,
  device_id   TEXT,                              -- camera; null: every camera of the site
  valid_from  INTEGER,
  valid_to    INTEGER NOT NULL,
  windows     TEXT,                              -- as a rule's
  tries_left  INTEGER NOT NULL CHECK (tries_left >= 0),
  created_at  INTEGER NOT NULL,
  created_by  TEXT NOT NULL,
  opened_at   INTEGER,                           -- when the link was first opened
  CHECK (valid_from IS NULL OR valid_from < valid_to)
) STRICT;
CREATE INDEX guest_pass_by_site ON guest_pass (site_id, id);
