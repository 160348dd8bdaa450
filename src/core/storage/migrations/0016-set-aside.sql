-- What could not be read when the hub started, kept for whoever can make sense of it.
CREATE TABLE set_aside (
  id          INTEGER PRIMARY KEY,
  table_name  TEXT NOT NULL,
  row_key     TEXT NOT NULL,
  column_name TEXT NOT NULL,  -- the cell that was malformed
  content     TEXT NOT NULL,  -- the cell as it was; where the whole row went, the row as JSON
  at          INTEGER NOT NULL
) STRICT;
