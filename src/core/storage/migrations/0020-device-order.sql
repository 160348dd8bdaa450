-- Where a person put a device among the others; null: after all that have a place, by name.
ALTER TABLE device ADD COLUMN place INTEGER;
