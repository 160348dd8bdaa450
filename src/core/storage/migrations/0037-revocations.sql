-- What was revoked. The triggers of src/storage/tables/revocation.ts note it, whatever path leads there; src/access/revocations.ts keeps a copy beside the file, which a restore does not replace.
CREATE TABLE revocation (
  kind       TEXT    NOT NULL,    -- see src/access/revocations.ts
  credential TEXT    NOT NULL,    -- what the row held by which it is found again: a hash, an id that is never given twice
  at         INTEGER NOT NULL,    -- epoch milliseconds; of an owner the time of the new role
  until      INTEGER,             -- when it would have ended anyway; null: never
  PRIMARY KEY (kind, credential)
) STRICT, WITHOUT ROWID;
CREATE INDEX revocation_by_time ON revocation (at);

-- What ended before this version.
INSERT OR REPLACE INTO revocation SELECT 'api_key', key_hash, revoked_at, expires_at FROM api_key WHERE revoked_at IS NOT NULL;
