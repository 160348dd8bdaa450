-- Who issued what lets somebody do or learn something (src/access/grant-kinds.ts), ids that are never given twice, and what an account's credentials are.

-- No row: the household itself issued it.
CREATE TABLE issued (
  kind   TEXT    NOT NULL,                                      -- see src/access/grant-kinds.ts
  id     TEXT    NOT NULL,                                      -- of the row in the kind's own table
  issuer INTEGER NOT NULL,                                      -- account.id; no reference: what a removed person issued is dead and not the household's
  role   TEXT    NOT NULL CHECK (role IN ('owner', 'member')), -- which the issuer had then, and must have for it to stand
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issued_by_issuer ON issued (issuer, kind);

ALTER TABLE account ADD COLUMN uid TEXT NOT NULL DEFAULT '';          -- names the person for ever, also across restores
ALTER TABLE account ADD COLUMN generation INTEGER NOT NULL DEFAULT 0; -- of the credentials: grows with every new password
ALTER TABLE account ADD COLUMN role_at INTEGER NOT NULL DEFAULT 0;    -- when the role was given
UPDATE account SET uid = id || '-' || created_at;

ALTER TABLE invitation ADD COLUMN generation INTEGER;                 -- of its issuer's credentials; it ends with them

-- Rows name who did something by 'api_key:ID', answers are kept under it, cookies name accounts: an id must not come again with another person.
INSERT INTO hub (key, value) SELECT 'last_account', CAST(coalesce(max(id) + 1000, 0) AS TEXT) FROM account;
INSERT INTO hub (key, value) SELECT 'last_api_key', CAST(coalesce(max(id) + 1000, 0) AS TEXT) FROM api_key;
INSERT INTO hub (key, value) SELECT 'last_bridge_client', CAST(coalesce(max(id) + 1000, 0) AS TEXT) FROM bridge_client;
INSERT INTO hub (key, value) SELECT 'last_command', CAST(coalesce(max(id) + 1000, 0) AS TEXT) FROM command;

-- What the audit list knows of who made what is there: the person behind a session that lives, else the only person of that name.
INSERT OR REPLACE INTO issued (kind, id, issuer, role)
SELECT kind, id, issuer, (SELECT role FROM account WHERE account.id = issuer)
  FROM (SELECT audit.id AS line,
          CASE WHEN action = 'key.created' THEN 'api_key'
               WHEN action = 'person.invited' THEN 'invitation'
               WHEN action IN ('guest_pass.created', 'guest_pass.link_renewed') THEN 'guest_pass'
               WHEN action IN ('plate_rule.created', 'plate_rule.edited') THEN 'plate_rule'
               WHEN action IN ('webhook.created', 'webhook.enabled', 'webhook.secret_rotated') THEN 'webhook'
               WHEN action LIKE 'bridge.client_%' THEN 'bridge_client'
               WHEN action LIKE 'device.%' THEN 'device'
               WHEN action = 'notifications.channel_set' THEN 'notification_channel' END AS kind,
          CASE WHEN action LIKE 'device.%' OR action = 'notifications.channel_set' THEN target
               ELSE CAST(json_extract(detail, '$.id') AS TEXT) END AS id,
          coalesce((SELECT session.account_id FROM session WHERE audit.actor = 'session:' || session.id),
            (SELECT CASE WHEN count(*) = 1 THEN max(account.id) END FROM account
              WHERE account.name = audit.person AND audit.account_id IN (account.id, account.household_of))) AS issuer
        FROM audit
       WHERE actor GLOB 'session:*' AND action IN ('key.created', 'person.invited', 'guest_pass.created', 'guest_pass.link_renewed',
         'plate_rule.created', 'plate_rule.edited', 'webhook.created', 'webhook.enabled', 'webhook.secret_rotated', 'bridge.client_made',
         'bridge.client_accepted', 'bridge.client_password_renewed', 'device.created', 'device.password_renewed', 'notifications.channel_set'))
 WHERE kind IS NOT NULL AND id IS NOT NULL AND issuer IS NOT NULL
 ORDER BY line;
-- A member's app has always been the member's.
INSERT OR REPLACE INTO issued (kind, id, issuer, role)
SELECT 'api_key', CAST(api_key.id AS TEXT), account_id, account.role FROM api_key JOIN account ON account.id = account_id WHERE household_of IS NOT NULL;
UPDATE invitation SET generation = 0 WHERE EXISTS (SELECT 1 FROM issued WHERE kind = 'invitation' AND issued.id = CAST(invitation.id AS TEXT));

-- Names change and can be chosen; the person behind a line cannot.
ALTER TABLE audit ADD COLUMN person_id INTEGER;                       -- account.id of who was signed in, or issued the key that acted
UPDATE audit SET person_id = (SELECT account_id FROM session WHERE audit.actor = 'session:' || session.id) WHERE actor GLOB 'session:*';
