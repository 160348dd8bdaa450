-- Automation rules, the timers that must outlive a power cut, and what each rule did or decided not to do.
CREATE TABLE automation (
  id                INTEGER PRIMARY KEY AUTOINCREMENT, -- never given out again: 'automation:ID' stands in command rows
  site_id           INTEGER NOT NULL REFERENCES site(id) ON DELETE CASCADE,
  name              TEXT NOT NULL,
  enabled           INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  trigger           TEXT NOT NULL,           -- JSON, shape in domain/automation/rule.ts
  conditions        TEXT NOT NULL,           -- JSON array
  action            TEXT NOT NULL,           -- JSON
  mode              TEXT NOT NULL CHECK (mode IN ('single', 'restart', 'queued', 'parallel')),
  cooldown_seconds  INTEGER NOT NULL CHECK (cooldown_seconds >= 0),
  last_triggered_at INTEGER,
  last_result       TEXT CHECK (last_result IN ('ok', 'failed', 'stopped', 'paused')),
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX automation_by_site ON automation (site_id);

CREATE TABLE automation_timer (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  automation_id INTEGER NOT NULL REFERENCES automation(id) ON DELETE CASCADE,
  kind          TEXT NOT NULL CHECK (kind IN ('schedule', 'interval', 'hold', 'delay', 'queued')),
  due_at        INTEGER NOT NULL,            -- wall time as believed when the row was written
  started_at    INTEGER NOT NULL,
  remaining_ms  INTEGER NOT NULL,            -- what was left at saved_at: used when the wall clock cannot be trusted after a restart
  saved_at      INTEGER NOT NULL,
  wall_trusted  INTEGER NOT NULL CHECK (wall_trusted IN (0, 1)), -- whether due_at came from a clock that could be believed
  payload       TEXT NOT NULL                -- JSON, by kind: the occurrence that ran last, the remaining steps of a run …
) STRICT;
CREATE INDEX automation_timer_by_rule ON automation_timer (automation_id);

CREATE TABLE automation_trace (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  automation_id INTEGER NOT NULL REFERENCES automation(id) ON DELETE CASCADE,
  at            INTEGER NOT NULL,
  body          TEXT NOT NULL CHECK (length(body) <= 4096) -- JSON, shape in automations/traces.ts
) STRICT;
CREATE INDEX automation_trace_by_rule ON automation_trace (automation_id, id);
