-- The activity feed and the scenes of each site.
CREATE TABLE feed_item (
  id        INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: clients keep the last id they saw
  site_id   INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  device_id TEXT,                              -- no reference: items outlive their device
  kind      TEXT NOT NULL,                     -- contract/feed-kinds.ts
  title     TEXT NOT NULL,
  body      TEXT NOT NULL DEFAULT '',
  read      INTEGER NOT NULL DEFAULT 0 CHECK (read IN (0, 1)),
  at        INTEGER NOT NULL
) STRICT;
CREATE INDEX feed_item_by_time ON feed_item (site_id, at, id);
CREATE INDEX feed_item_unread ON feed_item (site_id, at, id) WHERE read = 0;

CREATE TABLE scene (
  id                INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: automations name scenes by id
  site_id           INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  name              TEXT NOT NULL,
  icon              TEXT,
  actions           TEXT NOT NULL,             -- JSON array of {deviceId, command}, in the order of dispatch
  last_activated_at INTEGER,
  created_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX scene_by_site ON scene (site_id, id);
