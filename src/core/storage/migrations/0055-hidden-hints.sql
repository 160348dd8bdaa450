-- Suggestions of the console that a person has put away, on whatever device.
CREATE TABLE hidden_hint (
  account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE, -- the person
  hint       TEXT NOT NULL,
  PRIMARY KEY (account_id, hint)
) STRICT, WITHOUT ROWID;
