-- When the binding state changed, epoch milliseconds: of what stands for no device any more, the oldest is forgotten first.
ALTER TABLE bridge_device ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
