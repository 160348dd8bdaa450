/**
 * The item to drop when shared space runs out: the oldest one of the owner that takes up most, so that one owner's new
 * items only displace its own. `items` come oldest first; undefined when there are none.
 */
export function evictionCandidate<Item>(
  items: Iterable<Item>,
  ownerOf: (item: Item) => string,
  sizeOf: (item: Item) => number = () => 1,
): Item | undefined {
  const shares = new Map<string, { oldest: Item; size: number }>();
  for (const item of items) {
    const owner = ownerOf(item);
    const share = shares.get(owner);
    if (share === undefined) shares.set(owner, { oldest: item, size: sizeOf(item) });
    else share.size += sizeOf(item);
  }
  let most: { oldest: Item; size: number } | undefined;
  for (const share of shares.values()) if (most === undefined || share.size > most.size) most = share;
  return most?.oldest;
}
