-- What was known of the gate and of its question as a read was decided: that it was shut, since when it stood open (epoch
-- ms), and who answered (by the name of then) and when.
ALTER TABLE plate_read ADD COLUMN gate_was_shut INTEGER NOT NULL DEFAULT 0;
ALTER TABLE plate_read ADD COLUMN gate_open_since INTEGER;
ALTER TABLE plate_read ADD COLUMN asked_at INTEGER;
ALTER TABLE plate_read ADD COLUMN answered_at INTEGER;
ALTER TABLE plate_read ADD COLUMN answered_by TEXT;
