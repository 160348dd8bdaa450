-- Cameras, plate reads with their pictures, visits, the vehicle register, plate rules.
-- Device ids stand without a foreign key where history outlives the device.
CREATE TABLE camera (
  device_id      TEXT PRIMARY KEY REFERENCES device(id) ON DELETE CASCADE,
  site_id        INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  enabled        INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  direction      TEXT CHECK (direction IN ('in', 'out')),        -- one-way lane
  approach       TEXT CHECK (approach IN ('in', 'out')),         -- way of a car that comes towards the camera
  inside_gate    INTEGER NOT NULL DEFAULT 0 CHECK (inside_gate IN (0, 1)), -- whoever is read here got in, denied or not
  gate_device_id TEXT REFERENCES device(id) ON DELETE SET NULL,
  gate_command   TEXT,                                           -- JSON object as it is published
  source         TEXT NOT NULL DEFAULT '{"kind":"native"}',      -- JSON, see cameras/camera-source.ts
  updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX camera_by_site ON camera (site_id);

-- One row per pass: reads of one plate at one camera close together are one.
CREATE TABLE plate_read (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id      INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  device_id    TEXT NOT NULL,
  capture_id   INTEGER NOT NULL,
  capture_key  TEXT,                             -- the sender's own name of the capture; a capture sent twice is known by it
  plate        TEXT,
  formatted    TEXT,
  seen_plate   TEXT,                             -- what was read, where a person corrected it
  seen_text    TEXT NOT NULL,                    -- letters and digits before any correction
  plate_kind   TEXT NOT NULL CHECK (plate_kind IN ('standard', 'bharat', 'legacy', 'unknown')),
  confidence   INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 100),
  votes        INTEGER NOT NULL CHECK (votes >= 0),
  samples      INTEGER NOT NULL CHECK (samples >= 0),
  status       TEXT NOT NULL CHECK (status IN ('recognised', 'unrecognised')),
  reason       TEXT CHECK (reason IN ('no_recogniser', 'no_plate', 'invalid_format', 'timeout', 'provider_error')),
  decision     TEXT NOT NULL CHECK (decision IN ('allow', 'deny', 'watch', 'unknown')),
  rule_id      INTEGER,                          -- the rule that decided; it may be gone
  direction    TEXT CHECK (direction IN ('in', 'out')),
  opens_visit  INTEGER NOT NULL CHECK (opens_visit IN (0, 1)),
  trigger      TEXT NOT NULL CHECK (trigger IN ('motion', 'loop', 'manual', 'periodic')),
  at           INTEGER NOT NULL,                 -- first sighting of the pass
  last_at      INTEGER NOT NULL,                 -- latest sighting of the pass
  stored_at    INTEGER NOT NULL,
  corrected_at INTEGER,
  corrected_by TEXT,
  CHECK ((status = 'recognised') = (plate IS NOT NULL)),
  CHECK ((status = 'recognised') = (reason IS NULL))
) STRICT;
CREATE INDEX plate_read_by_time ON plate_read (site_id, at, id);
CREATE INDEX plate_read_by_plate ON plate_read (site_id, plate, at, id) WHERE plate IS NOT NULL;
CREATE INDEX plate_read_by_camera ON plate_read (site_id, device_id, at, id);
CREATE INDEX plate_read_by_decision ON plate_read (site_id, decision, at, id);
CREATE INDEX plate_read_by_status ON plate_read (site_id, status, at, id);
CREATE INDEX plate_read_by_capture ON plate_read (device_id, capture_key) WHERE capture_key IS NOT NULL;
CREATE INDEX plate_read_own_capture ON plate_read (capture_id) WHERE capture_key IS NULL;
CREATE INDEX plate_read_by_age ON plate_read (at);

-- A row says that the file <read_id>.jpg exists; the file is written before the row and removed after it.
CREATE TABLE plate_image (
  read_id INTEGER PRIMARY KEY REFERENCES plate_read(id) ON DELETE CASCADE,
  bytes   INTEGER NOT NULL,
  at      INTEGER NOT NULL
) STRICT;
CREATE INDEX plate_image_by_age ON plate_image (at);

CREATE TABLE visit (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id       INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  plate         TEXT NOT NULL,
  entry_read_id INTEGER,
  exit_read_id  INTEGER,
  entry_at      INTEGER,
  exit_at       INTEGER,
  entry_camera  TEXT,
  exit_camera   TEXT,
  status        TEXT NOT NULL CHECK (status IN ('open', 'closed', 'entry_missed', 'exit_missed')),
  stay_seconds  INTEGER CHECK (stay_seconds >= 0),
  CHECK ((status = 'closed') = (stay_seconds IS NOT NULL)),
  CHECK (entry_read_id IS NOT NULL OR exit_read_id IS NOT NULL)
) STRICT;
CREATE INDEX visit_by_plate ON visit (site_id, plate);
CREATE INDEX visit_open ON visit (site_id) WHERE status = 'open';
CREATE INDEX visit_by_age ON visit (coalesce(exit_at, entry_at)) WHERE status <> 'open';
CREATE INDEX visit_by_entry ON visit (entry_read_id) WHERE entry_read_id IS NOT NULL;
CREATE INDEX visit_by_exit ON visit (exit_read_id) WHERE exit_read_id IS NOT NULL;

-- A person closed the open visit of a plate by hand; pairing takes it for what it is.
CREATE TABLE visit_closure (
  id      INTEGER PRIMARY KEY,
  site_id INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  plate   TEXT NOT NULL,
  at      INTEGER NOT NULL,
  actor   TEXT NOT NULL
) STRICT;
CREATE INDEX visit_closure_by_plate ON visit_closure (site_id, plate);

-- Sums over plate_read and visit, rewritten for one plate whenever one of its rows changes.
CREATE TABLE vehicle (
  site_id            INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  plate              TEXT NOT NULL,
  formatted          TEXT NOT NULL,
  passes             INTEGER NOT NULL,
  entries            INTEGER NOT NULL,
  exits              INTEGER NOT NULL,
  visits             INTEGER NOT NULL,
  closed_visits      INTEGER NOT NULL,
  total_stay_seconds INTEGER NOT NULL,
  inside             INTEGER NOT NULL CHECK (inside IN (0, 1)),
  first_seen         INTEGER NOT NULL,
  last_seen          INTEGER NOT NULL,
  cameras            TEXT NOT NULL,               -- JSON array of device ids
  PRIMARY KEY (site_id, plate)
) STRICT, WITHOUT ROWID;
CREATE INDEX vehicle_by_last_seen ON vehicle (site_id, last_seen, plate);

CREATE TABLE plate_rule (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id    INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  plate      TEXT NOT NULL,
  formatted  TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('allow', 'deny', 'watch')),
  label      TEXT NOT NULL DEFAULT '',
  device_id  TEXT,                                -- null: every camera of the site
  valid_from INTEGER,
  valid_to   INTEGER,
  enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  hits       INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  CHECK (valid_from IS NULL OR valid_to IS NULL OR valid_from < valid_to)
) STRICT;
CREATE UNIQUE INDEX plate_rule_once ON plate_rule (site_id, plate, ifnull(device_id, ''));
