-- Which vehicles a delivery tells of: it is removed with them.
CREATE TABLE webhook_subject (
  site_id INTEGER NOT NULL,
  subject TEXT NOT NULL,                     -- as in feed_subject
  seq     INTEGER NOT NULL REFERENCES webhook_delivery(seq) ON DELETE CASCADE,
  PRIMARY KEY (site_id, subject, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_subject_by_delivery ON webhook_subject (seq);

-- Of deliveries from before; what devices wrote in events of their own is over when the log is.
INSERT INTO webhook_subject (site_id, subject, seq)
SELECT told.site_id, found.value, told.seq
  FROM (SELECT webhook.site_id, delivery.seq,
               CASE WHEN json_valid(delivery.body) THEN json_extract(delivery.body, '$.data') ELSE '{}' END AS data
          FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook_id
         WHERE delivery.event IN ('plate.read', 'gate.followed', 'automation.notify')) AS told,
       json_each(plates_in(concat_ws(char(10), told.data ->> 'plate', told.data ->> 'title', told.data ->> 'body'))) AS found;
