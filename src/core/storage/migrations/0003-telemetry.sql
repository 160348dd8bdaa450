-- Telemetry: an append-only journal that commits to disk in few pages, blocks it is compacted into, hourly roll-ups.
CREATE TABLE telemetry_device (
  ref       INTEGER PRIMARY KEY AUTOINCREMENT, -- small number that stands for the device; never used again
  device_id TEXT NOT NULL UNIQUE,
  recent    BLOB NOT NULL DEFAULT x''          -- message ids and payload checks of the last QoS 1 messages, newest last
) STRICT;

-- One row per group commit: all samples of the group in one packed value (telemetry/journal-format.ts).
CREATE TABLE telemetry_journal (
  id      INTEGER PRIMARY KEY,
  samples BLOB NOT NULL
) STRICT;

-- Up to 500 samples of one device, sorted by time (telemetry/block-format.ts).
CREATE TABLE telemetry_block (
  id      INTEGER PRIMARY KEY,
  device  INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  to_at   INTEGER NOT NULL,
  count   INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,                    -- length of times + samples
  times   BLOB NOT NULL,
  samples BLOB NOT NULL
) STRICT;
CREATE INDEX telemetry_block_by_device ON telemetry_block (device, to_at, from_at, count, bytes);

CREATE TABLE telemetry_series (
  id     INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  metric TEXT NOT NULL,
  UNIQUE (device, metric)
) STRICT;

-- Roll-up of one metric and UTC hour, kept by quarter: local midnights lie at :00, :30 or :45 of a UTC hour.
CREATE TABLE telemetry_hour (
  series INTEGER NOT NULL,
  hour   INTEGER NOT NULL,                     -- hours since the epoch
  count0 INTEGER NOT NULL, sum0 REAL NOT NULL, max0 REAL NOT NULL,
  count1 INTEGER NOT NULL, sum1 REAL NOT NULL, max1 REAL NOT NULL,
  count2 INTEGER NOT NULL, sum2 REAL NOT NULL, max2 REAL NOT NULL,
  count3 INTEGER NOT NULL, sum3 REAL NOT NULL, max3 REAL NOT NULL,
  PRIMARY KEY (series, hour)
) STRICT, WITHOUT ROWID;
