-- The bursts of a pass that has more than one; the read itself holds the burst that produced its plate.
CREATE TABLE plate_capture (
  id          INTEGER PRIMARY KEY,
  read_id     INTEGER NOT NULL REFERENCES plate_read(id) ON DELETE CASCADE,
  capture_id  INTEGER NOT NULL,
  capture_key TEXT,                              -- as in plate_read: a capture sent twice is known by it
  trigger     TEXT NOT NULL CHECK (trigger IN ('motion', 'loop', 'manual', 'periodic')),
  at          INTEGER NOT NULL,
  direction   TEXT CHECK (direction IN ('in', 'out')),
  confidence  INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 100),
  votes       INTEGER NOT NULL CHECK (votes >= 0),
  samples     INTEGER NOT NULL CHECK (samples >= 0),
  stored_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX plate_capture_by_read ON plate_capture (read_id, id);
CREATE INDEX plate_capture_by_key ON plate_capture (capture_key) WHERE capture_key IS NOT NULL;
CREATE INDEX plate_capture_own ON plate_capture (capture_id) WHERE capture_key IS NULL;
