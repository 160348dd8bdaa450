-- Answers kept for requests with an Idempotency-Key: 24 hours per credential, key, method and path.
CREATE TABLE idempotency (
  actor        TEXT NOT NULL,                -- 'api_key:ID' or 'session:ID'
  key          TEXT NOT NULL,
  method       TEXT NOT NULL,
  path         TEXT NOT NULL,
  request_hash TEXT NOT NULL,                -- SHA-256 of the request's body bytes
  status       INTEGER NOT NULL,
  headers      TEXT NOT NULL,                -- JSON object of the answer's own headers
  body         BLOB NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (actor, key, method, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (created_at);
