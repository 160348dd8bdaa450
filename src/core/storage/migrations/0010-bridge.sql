-- Clients of other makes' firmware, their devices and what was learned of them.
CREATE TABLE bridge_client (
  id             INTEGER PRIMARY KEY,
  username       TEXT NOT NULL UNIQUE,
  password_hash  TEXT NOT NULL,              -- scrypt, see src/bridge/client-password.ts
  name           TEXT NOT NULL,
  family         TEXT,                       -- null until it is known
  status         TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'refused')),
  origin         TEXT NOT NULL CHECK (origin IN ('paired', 'made')),
  mqtt_client_id TEXT,                       -- of its last connection
  address        TEXT,
  first_seen     INTEGER,
  last_seen      INTEGER                     -- its last connection began or ended
) STRICT;

CREATE TABLE bridge_device (
  family         TEXT NOT NULL,
  key            TEXT NOT NULL,
  device_id      TEXT NOT NULL,              -- no foreign key: the row of a removed device keeps its retained messages from bringing it back
  fate           TEXT NOT NULL CHECK (fate IN ('bound', 'shadowed', 'gone', 'removed')),
  client_id      INTEGER,                    -- bridge_client.id; null while it is not known who speaks for it
  mqtt_client_id TEXT,
  announcement   TEXT NOT NULL,              -- JSON, the device as its family announced it last, without its memo
  memo           TEXT NOT NULL,              -- JSON, what the family needs after a restart
  PRIMARY KEY (family, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE bridge_counter (
  device_id      TEXT NOT NULL,
  metric         TEXT NOT NULL,
  meter          TEXT NOT NULL,              -- JSON, see src/domain/energy-counter.ts
  PRIMARY KEY (device_id, metric)
) STRICT, WITHOUT ROWID;
