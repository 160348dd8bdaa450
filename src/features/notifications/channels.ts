import type { SendingChannel } from "../../core/api/notification-topics.ts";
import { bodyRefused, type Problem } from "../../core/kernel/problem.ts";
import { refusedUrl, type TargetPolicy } from "../../core/kernel/target.ts";
import type { Database } from "../../core/storage/database.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { EmailSettings } from "./email.ts";
import type { NtfySettings } from "./ntfy.ts";
import { type NotificationChannelRow, NotificationChannelTable } from "./tables/notification-channel.ts";
import { PushSubscriptionTable } from "./tables/push-subscription.ts";
import { newPushKeys, type PushSettings } from "./web-push.ts";

/** The settings of each channel. */
interface ChannelSettings {
  readonly ntfy: NtfySettings;
  readonly email: EmailSettings;
  readonly push: PushSettings;
}

/** A channel of a household. */
export interface Channel<Name extends SendingChannel = SendingChannel> {
  readonly enabled: boolean;
  readonly settings: ChannelSettings[Name];
  readonly hasSecret: boolean;
}

/** A channel as an owner sets it up. `secret`: absent = as before, null = none. */
export interface ChannelEdit<Settings> {
  readonly enabled: boolean;
  readonly settings: Settings;
  readonly secret?: string | null | undefined;
}

/** Seals secrets at rest, as the hub's key does. `context` ties a sealed value to its use. */
interface SecretBox {
  seal(plain: Buffer, context: string): Buffer;
  open(sealed: Buffer, context: string): Buffer;
}

/** The channels of each household. Kept in memory: every feed item looks them up. */
export class Channels {
  readonly #options: ConstructorParameters<typeof Channels>[0];
  readonly #rows = new Map<string, NotificationChannelRow>();
  readonly #sql: NotificationChannelTable;

  constructor(options: {
    readonly database: Database;
    readonly secrets: SecretBox;
    readonly targets: TargetPolicy;
  }) {
    this.#options = options;
    this.#sql = new NotificationChannelTable(options.database);
  }

  /** Reads the settings; the database is open. */
  start(): void {
    for (const row of this.#sql.all()) this.#rows.set(keyOf(row.accountId, row.channel), row);
  }

  /** Whether any household has an enabled channel. */
  get anyOpen(): boolean {
    return [...this.#rows.values()].some(({ enabled }) => enabled === 1);
  }

  /** A channel; null if it was never set up, or its row cannot be read. */
  find<Name extends SendingChannel>(householdId: number, name: Name): Channel<Name> | null {
    return channelOf<Name>(this.#rows.get(keyOf(householdId, name)));
  }

  /** Whether a channel is enabled. */
  isOpen(householdId: number, name: SendingChannel): boolean {
    return this.#rows.get(keyOf(householdId, name))?.enabled === 1;
  }

  /** The secret of a channel; null: it has none. @throws Problem `unavailable` when the hub's key cannot open it */
  secret(householdId: number, name: SendingChannel): string | null {
    const sealed = this.#rows.get(keyOf(householdId, name))?.secret ?? null;
    return sealed === null ? null : this.#options.secrets.open(sealed, contextOf(householdId, name)).toString();
  }

  /** Sets the ntfy server up. @throws Problem `invalid_body` */
  async putNtfy(householdId: number, edit: ChannelEdit<NtfySettings>, beside?: () => void): Promise<void> {
    const { settings } = edit;
    const refused = refusedUrl(settings.server, this.#options.targets);
    if (refused !== null) throw invalid("/server", { code: "refusal.address", why: refused });
    const { search, hash } = new URL(settings.server);
    if (search !== "" || hash !== "") throw invalid("/server", { code: "refusal.notify.topicInAddress" });
    const edited = (before: Channel<"ntfy"> | null): ChannelEdit<NtfySettings> => {
      checkMoved(before?.settings.server, settings.server, edit.secret, "/token");
      return edit;
    };
    await this.#edit<"ntfy">(householdId, "ntfy", edited, beside);
  }

  /** Sets the mail server up. @throws Problem `invalid_body` */
  async putEmail(householdId: number, edit: ChannelEdit<EmailSettings>, beside?: () => void): Promise<void> {
    const { settings, secret } = edit;
    const server = ({ host, port, security }: EmailSettings): string => `${host}:${port} ${security}`;
    const refused = refusedUrl(
      `http://${settings.host.includes(":") ? `[${settings.host}]` : settings.host}:${settings.port}`,
      this.#options.targets,
    );
    if (refused !== null) throw invalid("/host", { code: "refusal.address", why: refused });
    const edited = (before: Channel<"email"> | null): ChannelEdit<EmailSettings> => {
      const hasPassword = secret === undefined ? before?.hasSecret === true : secret !== null;
      if (settings.security === "none" && (settings.user !== null || hasPassword))
        throw invalid("/security", { code: "refusal.notify.clear" });
      if ((settings.user !== null) !== hasPassword) throw invalid("/password", { code: "refusal.notify.together" });
      checkMoved(before === null ? undefined : server(before.settings), server(settings), secret, "/password");
      return edit;
    };
    await this.#edit<"email">(householdId, "email", edited, beside);
  }

  /** Sets up Web Push; the hub creates its keys if there are none, or the stored ones cannot be opened. */
  async putPush(
    householdId: number,
    edit: Omit<ChannelEdit<Omit<PushSettings, "publicKey">>, "secret">,
    beside?: () => void,
  ): Promise<void> {
    const fresh = await newPushKeys();
    const edited = (before: Channel<"push"> | null, sealed: Buffer | null): ChannelEdit<PushSettings> => {
      const isUsable = before !== null && this.#opens(householdId, sealed);
      // they were made for the lost key
      if (before !== null && !isUsable) new PushSubscriptionTable(this.#options.database).removeHousehold(householdId);
      const publicKey = isUsable ? before.settings.publicKey : fresh.publicKey;
      return {
        enabled: edit.enabled,
        settings: { ...edit.settings, publicKey },
        secret: isUsable ? undefined : fresh.privateKey,
      };
    };
    await this.#edit<"push">(householdId, "push", edited, beside);
  }

  /** Inside a job: disables a channel; its settings stay. */
  switchOff(householdId: number, name: SendingChannel): void {
    const stored = this.#sql.find(householdId, name);
    if (stored === undefined || stored.enabled === 0) return;
    const row: NotificationChannelRow = { ...stored, enabled: 0 };
    this.#sql.put(row);
    this.#options.database.committed(() => this.#rows.set(keyOf(householdId, name), row));
  }

  #opens(householdId: number, sealed: Buffer | null): boolean {
    try {
      return sealed !== null && this.#options.secrets.open(sealed, contextOf(householdId, "push")).length > 0;
    } catch {
      return false;
    }
  }

  /**
   * Writes a channel. `editOf` is called in the write job with the channel as stored at that time, which another edit
   * of the same commit may have written, and its sealed secret; if it throws, nothing is written.
   */
  async #edit<Name extends SendingChannel>(
    householdId: number,
    name: Name,
    editOf: (before: Channel<Name> | null, sealed: Buffer | null) => ChannelEdit<ChannelSettings[Name]>,
    beside: () => void = () => {},
  ): Promise<void> {
    const { database, secrets } = this.#options;
    await database.write(() => {
      const stored = this.#sql.find(householdId, name);
      const { enabled, settings, secret } = editOf(channelOf<Name>(stored), stored?.secret ?? null);
      const sealed = secret == null ? null : secrets.seal(Buffer.from(secret), contextOf(householdId, name));
      const row = {
        accountId: householdId,
        channel: name,
        enabled: enabled ? 1 : 0,
        settings: JSON.stringify(settings),
        secret: secret === undefined ? (stored?.secret ?? null) : sealed,
      };
      this.#sql.put(row);
      database.committed(() => this.#rows.set(keyOf(householdId, name), row));
      beside(); // last: it may switch off what its author has no right to
    });
  }
}

/** A channel of its row; null if there is none, or it cannot be read. */
function channelOf<Name extends SendingChannel>(row: NotificationChannelRow | undefined): Channel<Name> | null {
  const settings = row === undefined ? null : storedJson<ChannelSettings[Name] | null>(row.settings, null);
  return row === undefined || settings === null
    ? null
    : { enabled: row.enabled === 1, settings, hasSecret: row.secret !== null };
}

/** A secret belongs to the server it was entered for: another one needs it entered again. */
function checkMoved(before: string | undefined, after: string, secret: string | null | undefined, field: string): void {
  if (before === undefined || before === after || secret !== undefined) return;
  throw invalid(field, { code: "refusal.secretOfOther" });
}

function keyOf(householdId: number, name: SendingChannel): string {
  return `${householdId} ${name}`;
}

function contextOf(householdId: number, name: SendingChannel): string {
  return `notification ${name} ${householdId}`;
}

function invalid(field: string, words: Detail): Problem {
  return bodyRefused(field, "refused", words);
}
