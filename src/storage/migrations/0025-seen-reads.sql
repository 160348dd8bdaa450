-- Up to which plate read each person has looked at them: one mark per person, not a row per read.
CREATE TABLE seen_read (
  account_id INTEGER PRIMARY KEY REFERENCES account(id) ON DELETE CASCADE, -- the person
  read_id    INTEGER NOT NULL
) STRICT;
