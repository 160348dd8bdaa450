-- Which vehicles an item of the feed is about: what is forgotten with them. A text that somebody wrote may name several.
CREATE TABLE feed_subject (
  site_id INTEGER NOT NULL,
  subject TEXT NOT NULL,                     -- a plate as reads carry it, or what looks like one in a text
  item_id INTEGER NOT NULL REFERENCES feed_item(id) ON DELETE CASCADE,
  PRIMARY KEY (site_id, subject, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_subject_by_item ON feed_subject (item_id);

-- Of items from before, what their words hold; plates_in is the hub's own (storage/migrate.ts).
INSERT INTO feed_subject (site_id, subject, item_id)
SELECT item.site_id, found.value, item.id
  FROM feed_item AS item, json_each(plates_in(item.title || char(10) || item.body)) AS found
 WHERE item.kind LIKE 'plate.%' OR item.kind LIKE 'automation.%' OR item.about_vehicles = 1;

-- Texts choose by this value whether the rule's label stands in them.
UPDATE feed_item
   SET words = json_set(words, '$.labelled', CASE WHEN coalesce(json_extract(words, '$.label'), '') = '' THEN 'no' ELSE 'yes' END)
 WHERE kind LIKE 'plate.%' AND CASE WHEN json_valid(words) THEN json_extract(words, '$.way') END IS NOT NULL;
