import { type Static, Type } from "typebox";
import { closed, dateTime, freeObject, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { HOUSE_MODES } from "../../../core/api/house.ts";
import { PlateRuleWindow } from "../../../core/api/resources/week-window.ts";
import { ALL_SCOPES } from "../../../core/api/scopes.ts";
import { MOST_WINDOWS } from "../../../core/plates/decide.ts";
import { roomSort } from "../../devices/resources/room.ts";
import { GateChoices } from "../../gate/resources/gate-choices.ts";
import { RuleEarns } from "../../gate/resources/plate-rule.ts";

const env = oneOf(["live", "test"]);

/** Names of makes, as the console and `gatehouse provision --help` have them. */
const family = Type.String({ pattern: "^[a-z0-9-]{1,40}$" });

/** The client of another make that brings a device: only that client's own announcement makes it this device. */
const origin = Type.Object(
  {
    client: nullable(Type.String({ minLength: 1, maxLength: 100 }), {
      description: "User name of an accepted client; null: the broker of the site.",
    }),
    family,
    key: Type.String({
      pattern: "^[a-z0-9_-]{1,48}$",
      description: "What the make calls the device: its address, for most.",
    }),
    hardware: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 32 }), {
        maxItems: 8,
        description: "Addresses by which another make of the same client knows the device, too.",
      }),
    ),
  },
  { ...closed, title: "ProvisionOrigin" },
);

/**
 * A whole set-up in one document: every part is optional; absent parts stay as they are. Applying it again creates
 * nothing twice.
 */
export const ProvisionDocument = Type.Object(
  {
    account: Type.Optional(
      Type.Object(
        {
          email: Type.String({ minLength: 3, maxLength: 254, pattern: "^[^@\\s]+@[^@\\s]+$" }),
          name: Type.Optional(text(120)),
          password: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
        },
        { ...closed, title: "ProvisionAccount" },
      ),
    ),
    site: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(text(120)),
          timeZone: Type.Optional(text(64)),
          latitude: Type.Optional(nullable(Type.Number({ minimum: -90, maximum: 90 }))),
          longitude: Type.Optional(nullable(Type.Number({ minimum: -180, maximum: 180 }))),
          capacity: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 100_000 }))),
        },
        { ...closed, title: "ProvisionSite" },
      ),
    ),
    rooms: Type.Optional(
      Type.Array(
        Type.Object(
          { name: text(80), icon: Type.Optional(text(64)), sort: Type.Optional(roomSort) },
          { ...closed, title: "ProvisionRoom" },
        ),
        {
          maxItems: 500,
        },
      ),
    ),
    devices: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }),
            name: Type.Optional(text(120)),
            type: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$" })),
            room: Type.Optional(nullable(text(80, { minLength: 0 }))),
            icon: Type.Optional(nullable(text(64))),
            favorite: Type.Optional(Type.Boolean()),
            password: Type.Optional(
              nullable(Type.String({ pattern: "^[\\x21-\\x7e]{6,128}$" }), {
                description: "MQTT password; made up for a new device when absent.",
              }),
            ),
            from: Type.Optional(origin),
          },
          { ...closed, title: "ProvisionDevice" },
        ),
        { maxItems: 2_000 },
      ),
    ),
    scenes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: text(120),
            icon: Type.Optional(nullable(text(64))),
            actions: Type.Array(
              Type.Object(
                { deviceId: Type.String({ minLength: 1 }), command: freeObject() },
                { ...closed, title: "ProvisionAction" },
              ),
              {
                maxItems: 100,
              },
            ),
            houseMode: Type.Optional(nullable(oneOf(HOUSE_MODES), { description: "What it also sets the house to." })),
          },
          { ...closed, title: "ProvisionScene" },
        ),
        { maxItems: 500 },
      ),
    ),
    keys: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: text(80),
            env: Type.Optional(env),
            scopes: Type.Union(
              [Type.Literal("all"), Type.Literal("*"), Type.Array(oneOf(ALL_SCOPES), { minItems: 1 })],
              {
                description: 'Names of scopes, or "all"; "*" is the same.',
              },
            ),
            origins: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20 })),
            expiresAt: Type.Optional(nullable(dateTime())),
          },
          { ...closed, title: "ProvisionKey" },
        ),
        { maxItems: 50 },
      ),
    ),
    webhooks: Type.Optional(
      Type.Array(
        Type.Object(
          {
            url: Type.String({ minLength: 1, maxLength: 2_000 }),
            events: Type.Array(Type.String(), { minItems: 1 }),
            env: Type.Optional(env),
            label: Type.Optional(text(80, { minLength: 0 })),
            probe: Type.Optional(Type.Boolean()),
          },
          { ...closed, title: "ProvisionWebhook" },
        ),
        { maxItems: 40 },
      ),
    ),
    clients: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: text(80),
            family,
            also: Type.Optional(Type.Array(family, { maxItems: 20 })),
            username: Type.Optional(Type.String({ pattern: "^[\\x21-\\x7e][\\x20-\\x7e]{0,99}$" })),
            password: Type.Optional(Type.String({ pattern: "^[\\x21-\\x7e]{6,128}$" })),
          },
          { ...closed, title: "ProvisionClient", description: "A credential for devices of other makes." },
        ),
        { maxItems: 500 },
      ),
    ),
    automations: Type.Optional(
      Type.Array(
        Type.Object(
          { name: text(120) },
          {
            additionalProperties: true,
            title: "ProvisionAutomation",
            description:
              "As POST /v1/automations takes it, but that an action names its scene (`scene`) instead of the scene's id.",
          },
        ),
        { maxItems: 500 },
      ),
    ),
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "By `group.name`; null: the default.",
      }),
    ),
    estate: Type.Optional(
      Type.Object(
        {
          code: Type.String({
            minLength: 1,
            maxLength: 600,
            description:
              "What `gatehouse estate invite` printed: the hub joins that estate. Of no matter to a hub that is in one.",
          }),
        },
        { ...closed, title: "ProvisionEstate" },
      ),
    ),
    backups: Type.Optional(
      Type.Object(
        {
          passphrase: Type.Optional(
            nullable(Type.String({ maxLength: 1_000 }), {
              description: "What backups are encrypted with; null: nothing.",
            }),
          ),
        },
        { ...closed, title: "ProvisionBackups" },
      ),
    ),
    cameras: Type.Optional(
      Type.Array(
        Type.Object(
          {
            deviceId: Type.String({ minLength: 1 }),
            enabled: Type.Optional(Type.Boolean()),
            direction: Type.Optional(nullable(oneOf(["in", "out"]))),
            approach: Type.Optional(nullable(oneOf(["in", "out"]))),
            insideGate: Type.Optional(Type.Boolean()),
            presented: Type.Optional(oneOf(["open", "ask", "refuse"])),
            source: Type.Optional(freeObject()),
            gate: Type.Optional(
              nullable(
                Type.Object(
                  { deviceId: Type.String({ minLength: 1 }), command: freeObject() },
                  { ...closed, title: "ProvisionGate" },
                ),
              ),
            ),
          },
          { ...closed, title: "ProvisionCamera" },
        ),
        { maxItems: 100 },
      ),
    ),
    gateChoices: Type.Optional(GateChoices),
    plateRules: Type.Optional(
      Type.Array(
        Type.Object(
          {
            plate: text(40),
            kind: Type.Optional(oneOf(["allow", "deny", "watch"])),
            label: Type.Optional(nullable(text(80, { minLength: 0 }))),
            deviceId: Type.Optional(nullable(Type.String({ minLength: 1 }))),
            validFrom: Type.Optional(nullable(dateTime())),
            validTo: Type.Optional(nullable(dateTime())),
            windows: Type.Optional(Type.Array(PlateRuleWindow, { maxItems: MOST_WINDOWS })),
            enabled: Type.Optional(Type.Boolean()),
            earns: Type.Optional(RuleEarns),
          },
          { ...closed, title: "ProvisionPlateRule" },
        ),
        { maxItems: 5_000 },
      ),
    ),
  },
  { ...closed, title: "ProvisionDocument" },
);

/** A checked set-up document. */
export type ProvisionDocument = Static<typeof ProvisionDocument>;

/** How a set-up document is applied. */
export interface ProvisionHow {
  /** Everything is checked and nothing is stored. */
  readonly dryRun: boolean;
  /** The document's password becomes the owner's even if they have another one. */
  readonly resetOwnerPassword: boolean;
}
