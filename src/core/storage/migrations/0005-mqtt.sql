-- What the broker owes its clients across a restart: retained messages, persistent sessions, queues, wills.
CREATE TABLE mqtt_retained (
  topic   TEXT PRIMARY KEY,
  payload BLOB NOT NULL,
  qos     INTEGER NOT NULL CHECK (qos IN (0, 1, 2))
) STRICT, WITHOUT ROWID;

-- A session exists as long as it has a subscription.
CREATE TABLE mqtt_subscription (
  client_id TEXT NOT NULL,
  topic     TEXT NOT NULL,                   -- the topic filter
  qos       INTEGER NOT NULL CHECK (qos IN (0, 1, 2)),
  PRIMARY KEY (client_id, topic)
) STRICT, WITHOUT ROWID;

-- Messages on their way to a persistent session, in the order of id.
CREATE TABLE mqtt_queue (
  id         INTEGER PRIMARY KEY,
  client_id  TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('publish', 'pubrel')),
  message_id INTEGER,                        -- packet identifier once it was sent
  topic      TEXT NOT NULL,
  payload    BLOB NOT NULL,
  qos        INTEGER NOT NULL CHECK (qos IN (0, 1, 2)),
  retain     INTEGER NOT NULL CHECK (retain IN (0, 1)),
  queued_at  INTEGER NOT NULL,
  expires_at INTEGER                         -- wall clock; null = until the session expires
) STRICT;

-- Identifiers of QoS 2 messages received and not yet released by their sender.
CREATE TABLE mqtt_incoming (
  client_id  TEXT NOT NULL,
  message_id INTEGER NOT NULL,
  PRIMARY KEY (client_id, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mqtt_will (
  client_id TEXT PRIMARY KEY,
  topic     TEXT NOT NULL,
  payload   BLOB NOT NULL,
  qos       INTEGER NOT NULL CHECK (qos IN (0, 1, 2)),
  retain    INTEGER NOT NULL CHECK (retain IN (0, 1))
) STRICT, WITHOUT ROWID;
