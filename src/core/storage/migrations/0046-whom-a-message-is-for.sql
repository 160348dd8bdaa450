-- A rule's message can be for some persons only (account ids as ",3,7,"; null: for everybody), and carries the
-- picture of a plate read or of a camera ({"readId"} or {"deviceId"}).
ALTER TABLE feed_item ADD COLUMN recipients TEXT;
ALTER TABLE feed_item ADD COLUMN picture TEXT;
