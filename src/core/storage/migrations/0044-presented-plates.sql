-- What follows when a listed plate seems to be presented (src/core/plates/presented.ts). Cameras that are set up already open as before, until somebody chooses.
ALTER TABLE camera ADD COLUMN presented TEXT NOT NULL DEFAULT 'open' CHECK (presented IN ('open', 'ask', 'refuse'));
-- What was odd about the plate, as a JSON list; NULL: nothing, or it was not looked at.
ALTER TABLE plate_read ADD COLUMN odd TEXT;
-- Where plates of accepted passes stood, by which each camera knows its lane (src/core/plates/lane.ts).
CREATE TABLE lane_pass (
  id        INTEGER PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES device(id) ON DELETE CASCADE,
  pass      TEXT NOT NULL
) STRICT;
CREATE INDEX lane_pass_by_camera ON lane_pass (device_id, id);
-- Frames of listed plates, 80 by 45 pixels: one that comes again opens no gate, however it was changed a little (src/core/plates/repeats.ts).
CREATE TABLE shown_glance (
  id        INTEGER PRIMARY KEY,
  read_id   INTEGER NOT NULL REFERENCES plate_read(id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES device(id) ON DELETE CASCADE,
  x         REAL NOT NULL,
  y         REAL NOT NULL,
  width     REAL NOT NULL,
  pixels    BLOB NOT NULL
) STRICT;
CREATE INDEX shown_glance_of_read ON shown_glance (read_id);
CREATE INDEX shown_glance_by_camera ON shown_glance (device_id, id);
-- A frame opens no gate twice, whichever camera shows it.
DROP INDEX shown_frame_by_digest;
CREATE INDEX shown_frame_by_digest ON shown_frame (digest);
