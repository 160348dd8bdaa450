-- An estate: what this hub holds of all gates. All of it is empty where the hub is in none.
-- Reads of every hub, and visits closed by hand. A read is known by its hub and a number that this hub never uses again.
CREATE TABLE estate_read (
  hub         TEXT NOT NULL,
  uid         INTEGER NOT NULL,
  version     INTEGER NOT NULL,                  -- a later one replaces an earlier one
  kind        INTEGER NOT NULL CHECK (kind IN (0, 1)), -- 0: a pass; 1: a visit closed by hand
  part        TEXT NOT NULL,                     -- of the site
  plate       TEXT NOT NULL,
  formatted   TEXT NOT NULL,
  token       TEXT NOT NULL,                     -- keyed hash of the plate, as subjects and keys hold it
  device_id   TEXT NOT NULL,
  camera      TEXT NOT NULL,                     -- its name
  direction   TEXT CHECK (direction IN ('in', 'out')),
  opens_visit INTEGER NOT NULL CHECK (opens_visit IN (0, 1)),
  decision    TEXT NOT NULL CHECK (decision IN ('allow', 'deny', 'watch', 'unknown')),
  confidence  INTEGER NOT NULL,
  label       TEXT NOT NULL,
  at          INTEGER NOT NULL,                  -- by the estate's clock
  last_at     INTEGER NOT NULL,
  local_id    INTEGER,                           -- of this hub's own read or closure; null for others
  sent        INTEGER NOT NULL CHECK (sent IN (0, 1)), -- whether the stream has this version
  PRIMARY KEY (hub, uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX estate_read_by_plate ON estate_read (part, plate, at, kind, hub, uid);
CREATE INDEX estate_read_by_time ON estate_read (at, hub, uid);
CREATE INDEX estate_read_by_hub ON estate_read (hub, at);
CREATE INDEX estate_read_by_token ON estate_read (token);
CREATE UNIQUE INDEX estate_read_own ON estate_read (kind, local_id) WHERE local_id IS NOT NULL;
CREATE INDEX estate_read_unsent ON estate_read (version) WHERE sent = 0;

-- Rows of this hub that changed and are to be told to the others, noted in the transaction that changed them. kind 2: a plate rule.
CREATE TABLE estate_noted (
  kind     INTEGER NOT NULL CHECK (kind IN (0, 1, 2)),
  local_id INTEGER NOT NULL,
  PRIMARY KEY (kind, local_id)
) STRICT, WITHOUT ROWID;

-- Visits of the estate, the same on every hub; known by the pass with which they begin.
CREATE TABLE estate_visit (
  part         TEXT NOT NULL,
  plate        TEXT NOT NULL,
  start_at     INTEGER NOT NULL,
  start_hub    TEXT NOT NULL,
  start_uid    INTEGER NOT NULL,
  entry_at     INTEGER,
  entry_hub    TEXT,
  entry_uid    INTEGER,
  exit_at      INTEGER,
  exit_hub     TEXT,
  exit_uid     INTEGER,
  status       TEXT NOT NULL CHECK (status IN ('open', 'closed', 'entry_missed', 'exit_missed')),
  stay_seconds INTEGER,
  PRIMARY KEY (part, plate, start_at, start_hub, start_uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX estate_visit_open ON estate_visit (part, plate) WHERE status = 'open';
CREATE INDEX estate_visit_by_plate ON estate_visit (plate, start_at, start_hub, start_uid);
CREATE INDEX estate_visit_by_age ON estate_visit (coalesce(exit_at, entry_at)) WHERE status <> 'open';

-- What is edited together: plate rules and parts of the site, as the estate has them.
CREATE TABLE estate_entry (
  key      TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  value    TEXT NOT NULL,                        -- JSON
  rule_id  INTEGER UNIQUE                        -- plate_rule of this hub
) STRICT, WITHOUT ROWID;

-- The other hubs, and when they were last heard.
CREATE TABLE estate_hub (
  hub      TEXT PRIMARY KEY,
  card     TEXT NOT NULL,                        -- JSON: name, part, role, version, gates
  heard_at INTEGER
) STRICT, WITHOUT ROWID;

-- Plates that are to be forgotten, by their hash alone.
CREATE TABLE estate_forgotten (
  token   TEXT PRIMARY KEY,
  at      INTEGER NOT NULL,                      -- what was seen until then is forgotten
  told    INTEGER NOT NULL CHECK (told IN (0, 1)),    -- whether the others know
  applied INTEGER NOT NULL CHECK (applied IN (0, 1)), -- whether this hub's own reads are gone
  erased  INTEGER NOT NULL CHECK (erased IN (0, 1))   -- whether this hub's messages are gone from the stream
) STRICT, WITHOUT ROWID;

-- Positions and marks.
CREATE TABLE estate_state (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
