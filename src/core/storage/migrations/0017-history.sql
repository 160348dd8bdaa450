-- A page of the feed for a reader who is shown few kinds looks at no more than a page of each kind.
CREATE INDEX feed_item_by_kind ON feed_item (site_id, kind, about_vehicles, at, id);
CREATE INDEX feed_item_unread_by_kind ON feed_item (site_id, kind, about_vehicles, at, id) WHERE read = 0;

-- The oldest samples of all devices.
CREATE INDEX telemetry_block_by_age ON telemetry_block (to_at, bytes);

-- How much of the history may still go today for its age, and what waits for the owner's word.
CREATE TABLE ageing (
  kind       TEXT PRIMARY KEY,              -- pictures, reads, visits, feed, audit, samples, sums
  keep_days  INTEGER NOT NULL,              -- as it was set when the last sweep ran: a household that sets less has given its word
  day_from   INTEGER NOT NULL,              -- when the present day of 24 hours began
  day_share  INTEGER NOT NULL,              -- how many may go in it
  taken      INTEGER NOT NULL DEFAULT 0,    -- how many of them went
  allowed    INTEGER NOT NULL DEFAULT 0,    -- how many more may go at the owner's word
  waiting    INTEGER NOT NULL DEFAULT 0,    -- how many are too old and stay for now
  told       INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)) -- the feed has said that they wait
) STRICT;
