-- Webhooks: receivers registered by the owner, and the outbox of deliveries, which is also the delivery log.
CREATE TABLE webhook (
  id              INTEGER PRIMARY KEY AUTOINCREMENT, -- an id is never used again: the log and the audit name it
  site_id         INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  url             TEXT NOT NULL,
  label           TEXT NOT NULL DEFAULT '',
  events          TEXT NOT NULL,                     -- JSON array of event names
  secret          BLOB NOT NULL,                     -- encrypted with the hub's key
  previous_secret BLOB,                              -- signs too until previous_until
  previous_until  INTEGER,
  probe           INTEGER NOT NULL DEFAULT 0 CHECK (probe IN (0, 1)), -- try again by itself once disabled
  active          INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  disabled_at     INTEGER,
  disabled_reason TEXT CHECK (disabled_reason IN ('failures', 'gone', 'owner')),
  failures        INTEGER NOT NULL DEFAULT 0,        -- in a row
  paused_until    INTEGER,                           -- no attempt before
  dropped         INTEGER NOT NULL DEFAULT 0,        -- deliveries given up because too many or too old were kept
  dropped_from    INTEGER,                           -- the gap they leave: at of the first and the last
  dropped_to      INTEGER,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_by_site ON webhook (site_id);

CREATE TABLE webhook_delivery (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,    -- order of delivery
  id           TEXT NOT NULL UNIQUE,                 -- dlv_ + ULID, the same in every attempt
  webhook_id   INTEGER NOT NULL REFERENCES webhook(id) ON DELETE CASCADE,
  event        TEXT NOT NULL,
  device_id    TEXT NOT NULL,
  body         TEXT NOT NULL,                        -- the bytes that are posted and signed
  test         INTEGER NOT NULL DEFAULT 0 CHECK (test IN (0, 1)), -- sent by hand or as a probe
  created_at   INTEGER NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('waiting', 'slow', 'delivered', 'failed', 'dropped')),
  attempts     INTEGER NOT NULL DEFAULT 0,
  refusals     INTEGER NOT NULL DEFAULT 0,           -- attempts that the receiver answered, but not with 2xx
  next_at      INTEGER,                              -- slow lane: not before
  attempted_at INTEGER,
  status_code  INTEGER,                              -- of the last attempt; null: no answer
  took_ms      INTEGER,
  error        TEXT
) STRICT;
CREATE INDEX webhook_delivery_log ON webhook_delivery (webhook_id, seq);
CREATE INDEX webhook_delivery_owed ON webhook_delivery (webhook_id, seq) WHERE status IN ('waiting', 'slow');
