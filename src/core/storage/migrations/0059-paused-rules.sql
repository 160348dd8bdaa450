-- Until when an automation that is on is not started; null: it is not paused.
ALTER TABLE automation ADD COLUMN paused_until INTEGER;
