-- Persons of a household, their invitations, whose doing an audit line tells of, and feed items that a page can say in other languages.
ALTER TABLE account ADD COLUMN household_of INTEGER REFERENCES account(id) ON DELETE CASCADE; -- whose household; null = its own
CREATE INDEX account_by_household ON account (household_of) WHERE household_of IS NOT NULL;

CREATE TABLE invitation (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE, -- the household
  name       TEXT NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  code_hash  TEXT NOT NULL UNIQUE,           -- SHA-256 of the code, which is shown once
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitation_by_account ON invitation (account_id);

ALTER TABLE audit ADD COLUMN person TEXT;    -- name of who was signed in; null for keys, the command line and the hub
ALTER TABLE feed_item ADD COLUMN words TEXT; -- JSON {code, …values}; null = title and body are all there is
