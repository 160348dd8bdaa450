-- Where a plate stood in the frames that are kept is looked through before a gate opens: without reading their pixels.
DROP INDEX shown_glance_of_read;
CREATE INDEX shown_glance_of_read ON shown_glance (read_id, device_id, x, y, width);
