-- Whether the camera's gate stood open as a read was decided: a vehicle that is turned away by an open gate may go in.
ALTER TABLE plate_read ADD COLUMN gate_was_open INTEGER NOT NULL DEFAULT 0;
