-- Rooms, devices with their merged state, MQTT credentials, command audit.
CREATE TABLE room (
  id       INTEGER PRIMARY KEY,
  site_id  INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  name     TEXT NOT NULL,
  name_key TEXT NOT NULL,                    -- NFC, lower case in Unicode's sense: SQLite's NOCASE knows ASCII only
  icon     TEXT NOT NULL DEFAULT 'room',
  sort     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (site_id, name_key)
) STRICT;

CREATE TABLE device (
  id             TEXT PRIMARY KEY,           -- unique on the hub: it is the MQTT user name
  site_id        INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  room_id        INTEGER REFERENCES room(id) ON DELETE SET NULL,
  name           TEXT NOT NULL,
  type           TEXT NOT NULL,
  icon           TEXT,
  favorite       INTEGER NOT NULL DEFAULT 0 CHECK (favorite IN (0, 1)),
  firmware       TEXT,
  model          TEXT,
  manufacturer   TEXT,
  metrics        TEXT NOT NULL DEFAULT '[]', -- JSON array of metric names from info
  command_schema TEXT,                       -- JSON schema from info
  state          TEXT NOT NULL DEFAULT '{}', -- JSON object, RFC 7396 merge of all state messages
  state_at       INTEGER,
  state_owed     TEXT,                       -- JSON {previous, source} of a coalesced device.state delivery not yet in the outbox
  online         INTEGER NOT NULL DEFAULT 0 CHECK (online IN (0, 1)), -- as last announced
  last_seen      INTEGER,                    -- written in batches
  battery        REAL,                       -- percent, written in batches
  signal         REAL,                       -- percent, written in batches
  report_interval_ms INTEGER,                -- sleeping devices declare it
  simulated      INTEGER NOT NULL DEFAULT 0 CHECK (simulated IN (0, 1)),
  password_hash  TEXT,                       -- SHA-256 of a 32-character random password; null = cannot connect
  created_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX device_by_site ON device (site_id);
CREATE INDEX device_by_room ON device (room_id);
CREATE INDEX device_state_owed ON device (id) WHERE state_owed IS NOT NULL;

-- Ids of removed devices whose history is still kept: they are not given out again.
CREATE TABLE retired_device (
  id         TEXT PRIMARY KEY,
  site_id    INTEGER NOT NULL,
  retired_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE command (
  id           INTEGER PRIMARY KEY,
  device_id    TEXT NOT NULL REFERENCES device(id) ON DELETE CASCADE,
  actor        TEXT NOT NULL,                -- 'session:ID', 'api_key:ID', 'scene:ID', 'automation:ID', 'gate:READ'
  command      TEXT NOT NULL,                -- the JSON text as accepted, byte for byte
  at           INTEGER NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('sent', 'queued', 'delivered', 'expired', 'failed')),
  delivered_at INTEGER,
  answered_at  INTEGER,                      -- the device's next state change
  answer       TEXT                          -- JSON: the keys that changed then
) STRICT;
CREATE INDEX command_by_device ON command (device_id, id);
CREATE INDEX command_queued ON command (at) WHERE status = 'queued';
