-- When, and which gates, a person may open while they are a member, and a person who joins by an invitation: JSON
-- {"times": [{"days", "from", "to"}, …], "gates": [id, …] or null}; null: without limits. Who has the household never has any.
ALTER TABLE account ADD COLUMN limits TEXT CHECK (limits IS NULL OR household_of IS NOT NULL);
ALTER TABLE invitation ADD COLUMN limits TEXT;
