-- Digests of the frames that a camera has sent: a frame that comes again opens no gate.
CREATE TABLE shown_frame (
  id        INTEGER PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES device(id) ON DELETE CASCADE,
  digest    BLOB NOT NULL
) STRICT;
CREATE INDEX shown_frame_by_digest ON shown_frame (device_id, digest);
CREATE INDEX shown_frame_by_age ON shown_frame (device_id, id);
