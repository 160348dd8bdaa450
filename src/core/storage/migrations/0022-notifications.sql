-- What each person is told of and by which way, the ways themselves, and what still has to be sent.
CREATE TABLE notification_person (
  account_id INTEGER PRIMARY KEY REFERENCES account(id) ON DELETE CASCADE,
  language   TEXT NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'hi')),
  topics     TEXT NOT NULL DEFAULT '{}',      -- JSON {topic: {"channels": [...], "urgent": bool}}; a topic that is missing is as by default
  quiet      TEXT,                            -- JSON {"from": "22:00", "to": "06:30"} in the household's zone; null = none
  email      INTEGER NOT NULL DEFAULT 0 CHECK (email IN (0, 1)), -- messages go to the account's own address
  ntfy_topic TEXT,                            -- null = none
  seen_id    INTEGER NOT NULL DEFAULT 0,      -- items of the feed up to this one have been seen in the console
  seen_at    INTEGER NOT NULL DEFAULT 0       -- and its time
) STRICT;

-- What happened before this version is no news.
INSERT INTO notification_person (account_id, seen_id, seen_at)
SELECT id, coalesce((SELECT max(id) FROM feed_item), 0), coalesce((SELECT max(at) FROM feed_item), 0) FROM account;

CREATE TABLE notification_channel (
  account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE, -- the household
  channel    TEXT NOT NULL CHECK (channel IN ('push', 'ntfy', 'email')),
  enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  settings   TEXT NOT NULL,                   -- JSON, by channel
  secret     BLOB,                            -- token, password or private key, sealed with the hub's key
  PRIMARY KEY (account_id, channel)
) STRICT, WITHOUT ROWID;

CREATE TABLE push_subscription (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, -- it ends with the session of its browser, and so with the person
  account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
  endpoint   TEXT NOT NULL UNIQUE,
  p256dh     TEXT NOT NULL,                   -- base64url
  auth       TEXT NOT NULL,                   -- base64url
  label      TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX push_subscription_by_account ON push_subscription (account_id);
CREATE INDEX push_subscription_by_session ON push_subscription (session_id);

CREATE TABLE notification (
  id         INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
  channel    TEXT NOT NULL CHECK (channel IN ('push', 'ntfy', 'email')),
  target_id  INTEGER REFERENCES push_subscription(id) ON DELETE CASCADE, -- of push; null for the others
  item_id    INTEGER NOT NULL REFERENCES feed_item(id) ON DELETE CASCADE, -- what is forgotten there is not sent either
  urgent     INTEGER NOT NULL CHECK (urgent IN (0, 1)),
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notification_by_receiver ON notification (account_id, channel, target_id, id);
CREATE INDEX notification_by_item ON notification (item_id);
CREATE INDEX notification_by_target ON notification (target_id) WHERE target_id IS NOT NULL;
