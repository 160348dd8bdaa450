-- Backups that were made or failed, the rehearsals of their restore, and what is written to the card.

CREATE TABLE backup (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  at          INTEGER NOT NULL,
  reason      TEXT    NOT NULL CHECK (reason IN ('schedule', 'person', 'command')),
  destination TEXT    NOT NULL,
  file        TEXT,
  bytes       INTEGER,
  sha256      TEXT,
  encrypted   INTEGER NOT NULL CHECK (encrypted IN (0, 1)),
  version     TEXT    NOT NULL,
  problem     TEXT
) STRICT;
CREATE INDEX backup_at ON backup (at);

CREATE TABLE backup_rehearsal (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  at        INTEGER NOT NULL,
  backup_id INTEGER,
  ok        INTEGER NOT NULL CHECK (ok IN (0, 1)),
  text      TEXT    NOT NULL,
  took_ms   INTEGER NOT NULL
) STRICT;

-- Secrets that the hub must be able to read back, sealed with its own key.
CREATE TABLE backup_secret (
  name   TEXT PRIMARY KEY,
  sealed BLOB NOT NULL
) STRICT;

-- Bytes written on one day (UTC), by cause; device: everything on the block device, whoever wrote it.
CREATE TABLE write_day (
  day   TEXT    NOT NULL,
  cause TEXT    NOT NULL CHECK (cause IN ('database', 'pictures', 'backups', 'other', 'device')),
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, cause)
) STRICT, WITHOUT ROWID;
