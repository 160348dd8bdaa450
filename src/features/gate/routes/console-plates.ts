import type { Static } from "typebox";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { errorBody } from "../../../core/http/middleware/errors.ts";
import { API_CHECKS } from "../../../core/http/middleware/validate.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { Slices } from "../../../core/kernel/slices.ts";
import { detailEnglish } from "../../../core/text/english.ts";
import type { Detail } from "../../../core/text/keys.ts";
import type {
  CameraPreset as CameraPresetSchema,
  FoundCamera as FoundCameraSchema,
  InspectedCamera as InspectedCameraSchema,
  RecogniserState as RecogniserStateSchema,
} from "../api/console-cameras.ts";
import {
  captureNow,
  discoverCameras,
  editCamera,
  inspectCamera,
  listCameraPresets,
  listCameras,
  pushBurst,
} from "../api/console-cameras.ts";
import {
  closeVisit,
  correctedPlates,
  correctRead,
  editPlateRule,
  forgetVehicle,
  importPlateRules,
  noteLeft,
  plateAccuracy,
} from "../api/console-plates.ts";
import type { Camera, CameraSettings } from "../camera-settings.ts";
import type { PlateReads } from "../plate-reads.ts";
import type { NewRule, PlateRules } from "../plate-rules.ts";
import type { PlateRead } from "../resources/plate-read.ts";
import { PlateRuleInput } from "../resources/plate-rule.ts";
import type { Vehicles } from "../vehicles.ts";
import { type KeepsGate, shownRule } from "./plate-rules.ts";
import { shownRead } from "./plates.ts";
import { shownVisit } from "./vehicles.ts";

type CameraPreset = Static<typeof CameraPresetSchema>;
type FoundCamera = Static<typeof FoundCameraSchema>;
type InspectedCamera = Static<typeof InspectedCameraSchema>;
type RecogniserState = Static<typeof RecogniserStateSchema>;

/** How the source of a camera fares. */
interface SourceState {
  readonly state: "waiting" | "ok" | "trouble";
  readonly trouble: string | Detail | null;
}

/** What the management of cameras and plates asks of the hub. */
export interface PlateManagement {
  readonly cameras: Pick<CameraSettings, "get" | "edit">;
  /** Device ids of the household's cameras, by name. */
  readonly cameraIds: (siteId: number) => readonly string[];
  /** A source without its passwords. */
  readonly shownSource: (source: object) => { readonly source: object; readonly hasPassword: boolean };
  readonly sourceState: (deviceId: string) => SourceState | null;
  /** How the recogniser keeps up. */
  readonly recogniserState: () => RecogniserState;
  /** Accepted passes that a camera has learned from, and how many it needs. */
  readonly learned: (deviceId: string) => { readonly passes: number; readonly of: number };
  readonly presets: readonly CameraPreset[];
  /** Cameras of the network that answer, and which of them the household has. */
  readonly discover: (siteId: number) => Promise<readonly FoundCamera[]>;
  /** @throws Problem conflict when the camera does not answer or refuses. */
  readonly inspect: (access: {
    readonly address: string;
    readonly user: string;
    readonly password: string;
  }) => Promise<InspectedCamera>;
  /** @throws Problem conflict when the camera sends by itself. */
  readonly capture: (deviceId: string) => Promise<void>;
  /** @throws Problem unavailable when this camera may not send now */
  readonly checkRoom: (deviceId: string) => void;
  /** Reads a burst that somebody sent. @throws Problem unsupported_media_type, invalid_body, limit_reached. */
  readonly push: (
    deviceId: string,
    contentType: string,
    body: Buffer,
    about: { readonly direction: "in" | "out" | null; readonly trigger: PlateRead["trigger"] },
  ) => Promise<{ readonly captureId: number; readonly readIds: readonly number[] }>;
  readonly reads: Pick<PlateReads, "get" | "correct" | "forget" | "accuracy" | "samples">;
  readonly vehicles: Pick<Vehicles, "closeVisit" | "left">;
  readonly rules: Pick<PlateRules, "edit" | "import">;
  readonly keepsGate: KeepsGate;
}

/** Cameras, corrections, deletion, rules in bulk. */
export function plateManagementRoutes(service: PlateManagement): BoundRoute[] {
  return [...cameraRoutes(service), ...searchRoutes(service), ...readRoutes(service), ...ruleRoutes(service)];
}

/** English for everybody, and the code where there is one. */
export function shownTrouble(trouble: string | Detail | null): {
  readonly trouble: string | null;
  readonly words?: Detail;
} {
  if (trouble === null || typeof trouble === "string") return { trouble };
  return { trouble: detailEnglish(trouble), words: trouble };
}

function cameraRoutes(service: PlateManagement): BoundRoute[] {
  const { cameras, sourceState } = service;
  const shown = (camera: Camera) => {
    const { deviceId, enabled, direction, approach, insideGate, gate, presented } = camera;
    const fares = sourceState(deviceId);
    const { source, hasPassword } = service.shownSource(camera.source);
    const { state = "native" as const, trouble = null } = fares ?? {};
    return {
      deviceId,
      enabled,
      direction,
      approach,
      insideGate,
      gate,
      presented,
      learned: service.learned(deviceId),
      source,
      hasPassword,
      state,
      ...shownTrouble(trouble),
    };
  };
  return [
    bind(listCameras, ({ caller }) => ({
      status: 200,
      body: {
        cameras: service.cameraIds(caller.siteId).map((id) => shown(cameras.get(caller.siteId, id))),
        recogniser: service.recogniserState(),
      },
    })),
    bind(editCamera, async ({ caller, params, body }) => ({
      status: 200,
      body: { camera: shown(await cameras.edit(caller.siteId, params.id, body, caller.actor)) },
    })),
    bind(captureNow, async ({ caller, params }) => {
      cameras.get(caller.siteId, params.id);
      await service.capture(params.id);
      return { status: 202, body: { done: true } };
    }),
    bind(
      pushBurst,
      async ({ caller, params, query, bytes, facts, baseUrl }) => {
        cameras.get(caller.siteId, params.id);
        const about = {
          direction: query.direction ?? null,
          trigger: query.trigger ?? (caller.method === "device" ? ("motion" as const) : ("manual" as const)),
        };
        const { captureId, readIds } = await service.push(params.id, facts.headers["content-type"] ?? "", bytes, about);
        // it sends pictures, and reads no plates
        if (caller.method === "device") return { status: 201, body: { captureId, reads: [] } };
        return {
          status: 201,
          body: { captureId, reads: readIds.map((id) => shownRead(service.reads.get(caller.siteId, id), baseUrl)) },
        };
      },
      ({ params }, caller) => {
        cameras.get(caller.siteId, params.id);
        service.checkRoom(params.id);
      },
    ),
  ];
}

function searchRoutes({ presets, discover, inspect }: PlateManagement): BoundRoute[] {
  return [
    bind(listCameraPresets, () => ({ status: 200, body: { presets: [...presets] } })),
    bind(discoverCameras, async ({ caller }) => ({
      status: 200,
      body: { cameras: [...(await discover(caller.siteId))] },
    })),
    bind(inspectCamera, async ({ body }) => ({
      status: 200,
      body: { camera: await inspect({ address: body.address, user: body.user ?? "", password: body.password ?? "" }) },
    })),
  ];
}

/** Pictures in an answer: one takes about 20 KB. */
const SAMPLES_A_PAGE = 20;

function readRoutes({ reads, vehicles, keepsGate }: PlateManagement): BoundRoute[] {
  return [
    bind(correctRead, async ({ caller, params, body, baseUrl }) => ({
      status: 200,
      body: {
        plate: shownRead(
          await reads.correct(caller.siteId, params.id, body.plate, caller.actor, keepsGate(caller)),
          baseUrl,
        ),
      },
    })),
    bind(plateAccuracy, ({ caller }) => ({ status: 200, body: { months: [...reads.accuracy(caller.siteId)] } })),
    bind(correctedPlates, ({ caller, query }) => {
      const rows = reads.samples(caller.siteId, query.after ?? 0, SAMPLES_A_PAGE + 1);
      const shown = rows.slice(0, SAMPLES_A_PAGE);
      return {
        status: 200,
        body: {
          samples: shown.map(({ readId, deviceId, plate, seen, at, crop }) => ({
            readId,
            deviceId,
            plate,
            seen,
            at: new Date(at).toISOString(),
            picture: crop.toString("base64"),
          })),
          next: rows.length > SAMPLES_A_PAGE ? (shown.at(-1)?.readId ?? null) : null,
        },
      };
    }),
    bind(forgetVehicle, async ({ caller, params }) => ({
      status: 200,
      body: { deleted: await reads.forget(caller.siteId, params.plate, caller.actor) },
    })),
    bind(noteLeft, async ({ caller, params }) => ({
      status: 200,
      body: { visit: shownVisit(await vehicles.left(caller.siteId, params.plate, caller.actor, keepsGate(caller))) },
    })),
    bind(closeVisit, async ({ caller, params }) => ({
      status: 200,
      body: { visit: shownVisit(await vehicles.closeVisit(caller.siteId, params.id, caller.actor, keepsGate(caller))) },
    })),
  ];
}

function ruleRoutes({ rules, keepsGate }: PlateManagement): BoundRoute[] {
  const moment = (text: string | null | undefined): number | null | undefined =>
    text === undefined || text === null ? text : Date.parse(text);
  return [
    bind(editPlateRule, async ({ caller, params, body }) => {
      const { validFrom, validTo, ...rest } = body;
      const edit = {
        ...rest,
        ...(validFrom === undefined ? {} : { validFrom: moment(validFrom) ?? null }),
        ...(validTo === undefined ? {} : { validTo: moment(validTo) ?? null }),
      };
      return {
        status: 200,
        body: { rule: shownRule(await rules.edit(caller.siteId, params.id, edit, caller.actor, keepsGate(caller))) },
      };
    }),
    bind(importPlateRules, async ({ caller, body, requestId }) => {
      const check = API_CHECKS.body(PlateRuleInput);
      const refused: { index: number; plate: string; problem: Problem }[] = [];
      const whole: { index: number; rule: NewRule }[] = [];
      const slices = new Slices();
      for (const [index, given] of body.rules.entries()) {
        await slices.next();
        const details = check(given);
        if (details === null) {
          const rule = given as PlateRuleInput; // checked above
          const { validFrom = null, validTo = null } = rule;
          whole.push({ index, rule: { ...rule, validFrom: moment(validFrom), validTo: moment(validTo) } });
        } else {
          const problem = new Problem("invalid_body", "The rule has wrong fields.", { details });
          refused.push({ index, plate: typeof given.plate === "string" ? given.plate : "", problem });
        }
      }
      const outcome = await rules.import(
        caller.siteId,
        whole.map(({ rule }) => rule),
        caller.actor,
        { askAgain: keepsGate(caller), isRehearsal: body.rehearsal === true, from: `account:${caller.accountId}` },
      );
      refused.push(...outcome.refused.map((one) => ({ ...one, index: whole[one.index]?.index ?? one.index })));
      return {
        status: 200,
        body: {
          added: outcome.added.length,
          refused: refused
            .sort((one, other) => one.index - other.index)
            .map(({ problem, ...one }) => ({ ...one, problem: errorBody(problem, requestId).error })),
        },
      };
    }),
  ];
}
