-- Until when a person may act, and a person who joins by an invitation; null: without an end. Who has the household never has one.
ALTER TABLE account ADD COLUMN ends_at INTEGER CHECK (ends_at IS NULL OR household_of IS NOT NULL);
ALTER TABLE invitation ADD COLUMN ends_at INTEGER;
-- When that end came. A clock that is set back, or an older backup, does not take it back: only an owner does.
ALTER TABLE account ADD COLUMN ended_at INTEGER CHECK (ended_at IS NULL OR ends_at IS NOT NULL);
