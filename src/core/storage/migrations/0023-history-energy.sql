-- Roll-ups also hold the minimum and, of powers, the integral over time in watt-hours. NULL: not known, because the row is from before.
-- New columns at the end of a row change no row that is there: this takes as long for a million rows as for one.
ALTER TABLE telemetry_hour ADD COLUMN min0 REAL;
ALTER TABLE telemetry_hour ADD COLUMN min1 REAL;
ALTER TABLE telemetry_hour ADD COLUMN min2 REAL;
ALTER TABLE telemetry_hour ADD COLUMN min3 REAL;
ALTER TABLE telemetry_hour ADD COLUMN wh0 REAL;
ALTER TABLE telemetry_hour ADD COLUMN wh1 REAL;
ALTER TABLE telemetry_hour ADD COLUMN wh2 REAL;
ALTER TABLE telemetry_hour ADD COLUMN wh3 REAL;

-- What a household pays for energy.
CREATE TABLE energy_tariff (
  site_id INTEGER PRIMARY KEY REFERENCES site(id) ON DELETE CASCADE,
  tariff  TEXT NOT NULL                      -- JSON, see src/domain/tariff.ts
) STRICT;

-- What a device's meter measures, where the owner has said so.
CREATE TABLE energy_role (
  device_id TEXT PRIMARY KEY REFERENCES device(id) ON DELETE CASCADE,
  role      TEXT NOT NULL CHECK (role IN ('grid', 'solar', 'battery', 'load', 'none')),
  behind    TEXT REFERENCES device(id) ON DELETE SET NULL, -- the load whose meter measures this one too
  reversed  INTEGER NOT NULL DEFAULT 0 CHECK (reversed IN (0, 1)) -- mounted the other way round
) STRICT, WITHOUT ROWID;
CREATE INDEX energy_role_by_behind ON energy_role (behind);
