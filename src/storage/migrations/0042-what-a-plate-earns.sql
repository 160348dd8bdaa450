-- What an allowed plate earns at the gate (src/domain/plates/earns.ts); NULL: what the household's defaults say, and without any the gate opens.
ALTER TABLE plate_rule ADD COLUMN earns TEXT CHECK (earns IN ('open', 'confirm', 'ask', 'note'));
-- The defaults of a household, and what confirms, as one JSON text (src/gate/gate-choices.ts). No row: the gate opens for every allowed plate.
CREATE TABLE gate_choice (
  site_id INTEGER PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  choices TEXT NOT NULL
) STRICT;
-- Reads about which somebody was asked when the hub stopped are looked for at each start.
CREATE INDEX plate_read_asked ON plate_read (id) WHERE not_told = 'asked';
