-- The name under which everybody reads of a rule. One that waits for somebody's coming or going, or asks for it, has
-- none: that it ran says where that person is.
ALTER TABLE automation ADD COLUMN shown_name TEXT GENERATED ALWAYS AS (
  CASE WHEN instr(trigger, '"type":"presence"') > 0 OR instr(conditions, '"type":"presence"') > 0 THEN NULL ELSE name END
) VIRTUAL;
