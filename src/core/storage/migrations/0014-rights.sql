-- What feed items tell of, who answers for a rule, and session ids that are never given twice.
ALTER TABLE feed_item ADD COLUMN about_vehicles INTEGER NOT NULL DEFAULT 0 CHECK (about_vehicles IN (0, 1)); -- its words tell of vehicles, whatever its kind
UPDATE feed_item SET about_vehicles = 1
 WHERE (kind = 'command.failed' AND title LIKE 'The gate did not take its command for %')
    OR (kind LIKE 'automation.%' AND site_id IN (SELECT site_id FROM automation WHERE json_extract(trigger, '$.type') IN ('plate', 'occupancy')));

-- The key that wrote the rule, which may do what that key may do; null = the household's own. No key goes while a rule is its.
ALTER TABLE automation ADD COLUMN author_key INTEGER REFERENCES api_key(id);
CREATE INDEX automation_by_author ON automation (author_key) WHERE author_key IS NOT NULL;

-- Rows name who did something by 'session:ID', and answers are kept under it: an id must not come again with another person.
INSERT INTO hub (key, value) SELECT 'last_session', CAST(coalesce(max(id) + 1000, 0) AS TEXT) FROM session;
