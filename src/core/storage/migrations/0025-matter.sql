-- Endpoints of the Matter bridge. A number belongs to its subject for ever: phones know by it what they have set up. 0 is the node, 1 the aggregator.
CREATE TABLE matter_endpoint (
  number  INTEGER PRIMARY KEY AUTOINCREMENT CHECK (number BETWEEN 2 AND 65534),
  site_id INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  subject TEXT NOT NULL,                         -- device:ID/PART or scene:ID
  UNIQUE (site_id, subject)
) STRICT;
INSERT INTO sqlite_sequence (name, seq) VALUES ('matter_endpoint', 1);

-- What an owner chose to show, or not; without a row the product's own choice holds.
CREATE TABLE matter_choice (
  site_id    INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  subject    TEXT NOT NULL,                      -- device:ID or scene:ID
  shown      INTEGER NOT NULL CHECK (shown IN (0, 1)),
  guarded    INTEGER NOT NULL CHECK (guarded IN (0, 1)), -- whether it was known then that it lets people in; what becomes so later is chosen anew
  PRIMARY KEY (site_id, subject)
) STRICT, WITHOUT ROWID;

-- Who joined: for their names in the history, also after they left.
CREATE TABLE matter_fabric (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  fabric       TEXT NOT NULL UNIQUE,             -- its root key's hash and its id
  fabric_index INTEGER NOT NULL,                 -- in the bridge, as long as it is joined
  vendor_id    INTEGER NOT NULL,
  name         TEXT NOT NULL,
  joined_at    INTEGER NOT NULL,
  left_at      INTEGER
) STRICT;

-- Whether opening by Matter asks for a PIN; without a row nothing that lets people in is shown.
CREATE TABLE matter_pin (
  site_id    INTEGER PRIMARY KEY REFERENCES site(id) ON DELETE CASCADE,
  hash       TEXT,                               -- keyed with a secret that is not in the database; null: the owner chose that none is asked for
  changed_at INTEGER NOT NULL
) STRICT;
