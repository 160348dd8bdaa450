-- What a person made a camera of, and what its gate was when a person named it: a device that has become something else since takes no pictures and opens nothing.
-- A camera from before counts as a device of the type camera.
ALTER TABLE camera ADD COLUMN made_of TEXT NOT NULL DEFAULT 'camera';
ALTER TABLE camera ADD COLUMN gate_type TEXT;
UPDATE camera SET gate_type = (SELECT type FROM device WHERE id = camera.gate_device_id);
