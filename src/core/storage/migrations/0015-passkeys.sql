-- Passkeys of persons: public keys of WebAuthn credentials. They go with their person.
CREATE TABLE passkey (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id    INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
  credential_id TEXT    NOT NULL UNIQUE,     -- base64url, chosen by the authenticator
  public_key    BLOB    NOT NULL,            -- COSE
  counter       INTEGER NOT NULL,            -- the authenticator's count of signatures; 0 where it does not count
  rp_id         TEXT    NOT NULL,            -- host name of the page that it was made on, the only one it works on
  transports    TEXT    NOT NULL DEFAULT '[]', -- JSON array, a hint for browsers
  name          TEXT    NOT NULL,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER
) STRICT;
CREATE INDEX passkey_by_account ON passkey (account_id);
CREATE INDEX passkey_by_host ON passkey (rp_id);
