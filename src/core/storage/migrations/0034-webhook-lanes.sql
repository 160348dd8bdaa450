-- No delivery passes another of its device: while one waits in the retry queue, the younger ones of its device wait behind it, and only the oldest is in that queue.
UPDATE webhook_delivery SET status = 'waiting', refusals = 0, next_at = NULL
WHERE status = 'slow' AND EXISTS (
  SELECT 1 FROM webhook_delivery AS older
  WHERE older.webhook_id = webhook_delivery.webhook_id AND older.device_id = webhook_delivery.device_id
    AND older.status IN ('waiting', 'slow') AND older.seq < webhook_delivery.seq
);
CREATE INDEX webhook_delivery_slow ON webhook_delivery (webhook_id, next_at, seq, device_id, refusals) WHERE status = 'slow';
