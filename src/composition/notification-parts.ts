import type { Access } from "../access/access.js";
import type { HubKey } from "../access/hub-key.js";
import { scopesOf } from "../access/roles.js";
import type { Facts } from "../contract/facts.js";
import type { PlateReads } from "../gate/plate-reads.js";
import type { Questions } from "../gate/questions.js";
import { Channels } from "../notifications/channels.js";
import { NotificationDeliverer, type PictureOf } from "../notifications/deliver.js";
import type { Picture } from "../notifications/message.js";
import { Notifications, type NotifiedSite, type Recipient } from "../notifications/notifications.js";
import { localAddresses } from "../platform/network.js";
import type { AccountRow } from "../storage/tables/account.js";
import type { Base } from "./base.js";
import type { DeviceParts } from "./device-parts.js";

/** Notifications from the choice of a person to the delivery. */
export interface NotificationParts {
  readonly notifications: Notifications;
  readonly channels: Channels;
  readonly deliverer: NotificationDeliverer;
  /** Takes a feed item, inside the job that writes it; never throws. */
  readonly recorded: (item: Facts["feed.added"]) => void;
  /** A person as notifications see them. @throws Problem `not_found` */
  readonly recipient: (accountId: number) => Recipient;
  /** Zone of a household. */
  readonly timeZone: (householdId: number) => string;
}

/** What notifications use of the rest of the hub; looked up when something is sent. */
interface Reached {
  readonly access: Pick<Access, "accounts">;
  readonly plates: {
    readonly reads: Pick<PlateReads, "list" | "image">;
    readonly questions: Pick<Questions, "list">;
  };
  readonly devices: Pick<DeviceParts, "feed">;
  readonly box: { readonly mdns: { readonly hostName: string } | null };
  readonly web: { readonly server: { readonly port: number; readonly tlsPort: number } };
}

/** Larger pictures stay on the hub: mail servers and phones have limits. */
const LARGEST_PICTURE_BYTES = 500_000;

/** Builds the notifications. `ownPorts`: those the hub listens on, which it never calls itself. */
export function buildNotifications(
  base: Base,
  hub: Reached,
  ports: { readonly hubKey: HubKey; readonly ownPorts: () => readonly number[] },
): NotificationParts {
  const { database, clock, logger } = base;
  const targets = {
    allowLoopback: base.settings().webhooks.allowLoopback,
    ownPorts: ports.ownPorts,
    ownAddresses: localAddresses,
  };
  const channels = new Channels({ database, secrets: ports.hubKey, targets });
  const site = (siteId: number): NotifiedSite | null => {
    const { env, accountId: householdId, timeZone } = hub.access.accounts.site(siteId);
    return env === "live" ? { householdId, timeZone } : null;
  };
  const recipient = (accountId: number): Recipient => recipientOf(hub.access.accounts.get(accountId));
  const timeZone = (householdId: number): string =>
    hub.access.accounts.site(hub.access.accounts.siteIdOf(householdId, "live")).timeZone;
  const notifications = new Notifications({
    database,
    clock,
    channels,
    site,
    persons: (householdId) => hub.access.accounts.ofHousehold(householdId).map(recipientOf),
    feed: (siteId, query) => hub.devices.feed.list(siteId, query),
  });
  const deliverer = new NotificationDeliverer({
    database,
    clock,
    logger: logger.child({ part: "notifications" }),
    notifications,
    channels,
    targets,
    person: (accountId) => {
      try {
        return recipient(accountId);
      } catch {
        return null; // removed meanwhile
      }
    },
    site,
    timeZone,
    picture: (siteId, about) => picture(hub, siteId, about),
    asked: (siteId, { deviceId, plate }) =>
      hub.plates.questions.list(siteId).find((one) => one.deviceId === deviceId && one.formatted === plate) ?? null,
    consoleUrl: () => consoleUrl(hub),
  });
  const recorded = (item: Facts["feed.added"]): void => {
    try {
      notifications.recorded(item);
    } catch (error) {
      // the item itself matters more
      logger.error({ err: error, itemId: item.itemId }, "nobody is notified of an item of the feed");
    }
  };
  return { notifications, channels, deliverer, recorded, recipient, timeZone };
}

function recipientOf({ id, householdOf, email, role, createdAt: since }: AccountRow): Recipient {
  return {
    id,
    householdId: householdOf ?? id,
    email,
    holder: { method: "session", role, scopes: scopesOf(role) },
    since,
  };
}

async function picture(
  { plates }: Pick<Reached, "plates">,
  siteId: number,
  { deviceId, at, plate }: PictureOf,
): Promise<Picture | null> {
  const { reads } = plates.reads.list(siteId, { deviceId, since: at, until: at, limit: 10 });
  // one picture may show several vehicles
  const read = reads.find(({ formatted }) => plate === null || formatted === plate);
  if (read === undefined || !read.hasImage) return null;
  const jpeg = await plates.reads.image(siteId, read.id);
  return jpeg.length > LARGEST_PICTURE_BYTES ? null : { readId: read.id, jpeg };
}

/** The address at which a phone at home finds the console. */
function consoleUrl({ box, web }: Reached): string | null {
  const host = box.mdns?.hostName ?? localAddresses().find((address) => /^\d+\./.test(address));
  if (host === undefined) return null;
  const { port, tlsPort } = web.server;
  return tlsPort > 0 ? `https://${host}:${tlsPort}` : `http://${host}:${port}`;
}
