-- Accounts, their sites (live and test household), credentials, audit. Settings are in the data folder's gatehouse.json.
CREATE TABLE hub (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO hub (key, value) VALUES ('clean_stop', '1');

CREATE TABLE account (
  id            INTEGER PRIMARY KEY,
  email         TEXT NOT NULL COLLATE NOCASE UNIQUE,
  name          TEXT NOT NULL,
  password_hash TEXT NOT NULL,               -- PHC string, scrypt
  totp_secret   BLOB,                        -- encrypted with the hub's key; null = no second factor
  totp_step     INTEGER NOT NULL DEFAULT 0,  -- last 30 s step whose code was used: a code works once
  role          TEXT NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'member')),
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;

-- A site is one household of an account: the real one (live) or the simulated one behind test keys (test).
CREATE TABLE site (
  id         INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
  env        TEXT NOT NULL CHECK (env IN ('live', 'test')),
  name       TEXT NOT NULL,
  time_zone  TEXT NOT NULL DEFAULT 'UTC',    -- IANA name
  latitude   REAL,
  longitude  REAL,
  capacity   INTEGER CHECK (capacity >= 0),  -- null = occupancy is not managed
  UNIQUE (account_id, env)
) STRICT;

CREATE TABLE session (
  id           INTEGER PRIMARY KEY,
  account_id   INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
  token_hash   TEXT NOT NULL UNIQUE,         -- SHA-256 of the cookie's 32 random bytes
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  address      TEXT NOT NULL,
  user_agent   TEXT NOT NULL
) STRICT;
CREATE INDEX session_by_account ON session (account_id);

CREATE TABLE recovery_code (
  account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
  code_hash  TEXT NOT NULL,
  used_at    INTEGER,
  PRIMARY KEY (account_id, code_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_key (
  id           INTEGER PRIMARY KEY,
  account_id   INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
  site_id      INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  env          TEXT NOT NULL CHECK (env IN ('live', 'test')),
  key_hash     TEXT NOT NULL UNIQUE,         -- SHA-256 of the whole key text
  prefix       TEXT NOT NULL,
  last_four    TEXT NOT NULL,
  scopes       TEXT NOT NULL,                -- JSON array
  origins      TEXT NOT NULL DEFAULT '[]',   -- JSON array of exact origins
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  rotated_to   INTEGER REFERENCES api_key(id) ON DELETE SET NULL
) STRICT;
CREATE INDEX api_key_by_account ON api_key (account_id);

CREATE TABLE audit (
  id         INTEGER PRIMARY KEY,
  account_id INTEGER,                        -- null: the box itself (command line)
  actor      TEXT NOT NULL,                  -- 'session:ID', 'api_key:ID', 'cli', 'hub'
  action     TEXT NOT NULL,
  target     TEXT NOT NULL,
  detail     TEXT NOT NULL DEFAULT '{}',     -- JSON, never a secret
  at         INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (at);
