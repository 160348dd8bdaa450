import { SENDING_CHANNELS } from "../../core/api/notification-topics.ts";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { AccessFeature } from "../access/feature.ts";
import { scopesOf } from "../access/roles.ts";
import type { AccountRow } from "../access/tables/account.ts";
import type { CamerasFeature } from "../cameras/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import { Channels } from "./channels.ts";
import { NotificationDeliverer, type PictureOf } from "./deliver.ts";
import type { Picture } from "./message.ts";
import { Notifications, type NotifiedSite, type Recipient } from "./notifications.ts";
import { notificationRoutes } from "./routes/console-notifications.ts";

/** The features that notifications work with. */
interface Siblings {
  readonly feed: FeedFeature;
  readonly access: AccessFeature;
  readonly cameras: CamerasFeature;
  readonly gate: GateFeature;
}

/** Larger pictures stay on the hub: mail servers and phones have limits. */
const LARGEST_PICTURE_BYTES = 500_000;
/** A picture that is further than this from a message, before or after, is not about it. */
const SAME_MOMENT_MS = 120_000;

/** Notifications from the choice of a person to the delivery. */
export class NotificationsFeature implements Feature {
  readonly notifications: Notifications;
  readonly channels: Channels;
  readonly deliverer: NotificationDeliverer;
  readonly services: readonly PlacedService[];
  readonly #access: AccessFeature;

  constructor(base: Base, { feed, access, cameras, gate }: Siblings) {
    const { database, clock, logger } = base;
    const { accounts } = access;
    const targets = {
      allowLoopback: base.settings().webhooks.allowLoopback,
      ownPorts: base.address.ports,
      ownAddresses: localAddresses,
    };
    const channels = new Channels({ database, secrets: base.hubKey, targets });
    const site = (siteId: number): NotifiedSite | null => {
      const { env, accountId: householdId, timeZone } = accounts.site(siteId);
      return env === "live" ? { householdId, timeZone } : null;
    };
    const notifications = new Notifications({
      database,
      clock,
      channels,
      site,
      persons: (householdId) =>
        accounts
          .ofHousehold(householdId)
          .filter((row) => !accounts.hasEnded(row))
          .map(recipientOf),
      feed: feed.feed,
      isAsked: (siteId, readId) => gate.questions.list(siteId).some((question) => question.readId === readId),
    });
    this.#access = access;
    this.notifications = notifications;
    this.channels = channels;
    this.deliverer = new NotificationDeliverer({
      database,
      clock,
      logger: logger.child({ part: "notifications" }),
      notifications,
      channels,
      targets,
      person: (accountId) => {
        const row = accounts.find(accountId); // removed meanwhile, or ended
        return row === null || accounts.hasEnded(row) ? null : recipientOf(row);
      },
      site,
      accounts,
      picture: (siteId, about) => picture(gate, siteId, about),
      pictureWith: (siteId, own, at) =>
        "readId" in own ? pictureOfRead(gate, siteId, own.readId) : pictureOfCamera(cameras, own.deviceId, at),
      asked: (siteId, { deviceId, plate }) =>
        gate.questions.list(siteId).find((one) => one.deviceId === deviceId && one.formatted === plate) ?? null,
      address: base.address,
    });
    this.services = [{ service: this.deliverer, start: "serve", stop: "outbox" }];
    feed.feed.onRecorded((item, reach) => {
      try {
        notifications.recorded(item, reach);
      } catch (error) {
        // the item itself matters more
        logger.error({ err: error, itemId: item.itemId }, "a feed item's notifications could not be queued");
      }
    });
    access.grants.endsBy("notification_channel", ({ id }) => {
      const owner = accounts.owner();
      const channel = SENDING_CHANNELS.find((name) => name === id);
      if (owner !== null && channel !== undefined) channels.switchOff(owner.id, channel);
    });
  }

  /** A person as notifications see them. @throws Problem `not_found` */
  recipient(accountId: number): Recipient {
    return recipientOf(this.#access.accounts.get(accountId));
  }

  get console() {
    return notificationRoutes(this, this.#access);
  }
}

function recipientOf({ id, householdOf, email, role, createdAt: since }: AccountRow): Recipient {
  return {
    id,
    householdId: householdOf ?? id,
    email,
    holder: { method: "session", role, scopes: scopesOf(role), accountId: id },
    since,
  };
}

async function picture(
  { reads: stored }: GateFeature,
  siteId: number,
  { deviceId, at, plate }: PictureOf,
): Promise<Picture | null> {
  const { reads } = stored.list(siteId, { deviceId, since: at, until: at, limit: 10 });
  // one picture may show several vehicles
  const read = reads.find(({ formatted }) => plate === null || formatted === plate);
  return read === undefined || !read.hasImage ? null : pictureOfRead({ reads: stored }, siteId, read.id);
}

/** @throws Problem where the read has no picture, or none any more */
async function pictureOfRead(
  { reads }: Pick<GateFeature, "reads">,
  siteId: number,
  readId: number,
): Promise<Picture | null> {
  return small({ path: `/v1/plates/${readId}/image`, jpeg: await reads.image(siteId, readId) });
}

/** What a camera shows, if that is still about the moment. One that sends by itself is not asked: it would be read. */
async function pictureOfCamera({ cameras }: CamerasFeature, deviceId: string, at: number): Promise<Picture | null> {
  const frame = await cameras.frame(deviceId, { fresh: true, ask: async () => false });
  if (frame === null || Math.abs(frame.at - at) > SAME_MOMENT_MS) return null;
  return small({ path: `/api/cameras/${encodeURIComponent(deviceId)}/frame`, jpeg: Buffer.from(frame.jpeg) });
}

function small(picture: Picture): Picture | null {
  return picture.jpeg.length > LARGEST_PICTURE_BYTES ? null : picture;
}
