-- Activity is narrowed to what one person did: few items of a feed are anybody's.
CREATE INDEX feed_item_by_person ON feed_item (site_id, by_account, at, id) WHERE by_account IS NOT NULL;
