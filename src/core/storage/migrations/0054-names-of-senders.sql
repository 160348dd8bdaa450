-- Who sent a command, by the name of then: a person who is gone since is still named.
ALTER TABLE command ADD COLUMN by_name TEXT;
UPDATE command SET by_name = (SELECT account.name FROM session JOIN account ON account.id = session.account_id
                              WHERE session.id = CAST(substr(command.actor, 9) AS INTEGER))
WHERE substr(actor, 1, 8) = 'session:';
