-- Up to which plate read each person has looked at them: one mark per person, not a row per read.
CREATE TABLE seen_read (
  account_id INTEGER PRIMARY KEY REFERENCES account(id) ON DELETE CASCADE, -- the person
  read_id    INTEGER NOT NULL
) STRICT;

-- The contact sensor that says whether a gate or lock is open, where it is not the gate itself that does.
CREATE TABLE gate_contact (
  gate_id    TEXT PRIMARY KEY REFERENCES device(id) ON DELETE CASCADE,
  contact_id TEXT NOT NULL REFERENCES device(id) ON DELETE CASCADE
) STRICT;
CREATE INDEX gate_contact_by_contact ON gate_contact (contact_id);
