-- Crops of plates that a person put right, with the right text, where the owner keeps them (plates.keepCorrected). Without a reference to
-- the read: a sample may be kept for longer.
CREATE TABLE plate_sample (
  read_id   INTEGER PRIMARY KEY,
  site_id   INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  device_id TEXT NOT NULL,
  plate     TEXT NOT NULL,
  seen      TEXT NOT NULL,                       -- what the hub had read
  at        INTEGER NOT NULL,                    -- of the read
  crop      BLOB NOT NULL                        -- JPEG
) STRICT;
CREATE INDEX plate_sample_by_age ON plate_sample (at);
CREATE INDEX plate_sample_by_site ON plate_sample (site_id, read_id);
-- Where the plate is in its picture: JSON [x1, y1, x2, y2] as shares of its width and height; null where that is not known.
ALTER TABLE plate_image ADD COLUMN box TEXT;
CREATE INDEX plate_read_corrected ON plate_read (site_id, device_id, corrected_at) WHERE corrected_at IS NOT NULL;
