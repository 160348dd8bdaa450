-- Until when only urgent messages are sent to a person, epoch ms; 0: no mute.
ALTER TABLE notification_person ADD COLUMN muted_until INTEGER NOT NULL DEFAULT 0;

-- Who was here before the hub told of dangers chose nothing for them: they see them in the list, and nothing new is sent.
INSERT OR IGNORE INTO notification_person (account_id) SELECT id FROM account;
UPDATE notification_person
SET topics = json_set(topics, '$.danger', json('{"channels":["console"],"urgent":true}'))
WHERE json_valid(topics) AND json_type(topics) = 'object' AND json_extract(topics, '$.danger') IS NULL;
