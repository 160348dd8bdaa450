-- A person is not told of their own acts: whose act an item is (an account), and for a rule's message the device that
-- set the rule off, which somebody may have moved.
ALTER TABLE feed_item ADD COLUMN by_account INTEGER;
ALTER TABLE feed_item ADD COLUMN because_of TEXT;
