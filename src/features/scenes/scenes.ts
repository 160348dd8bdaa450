/**
 * Owns the scenes: named lists of commands that are sent together, in their order.
 *
 * In: edits from the console, activations from people and automations. Out: commands, a feed item,
 * `scene.activated` on the bus.
 * Must never know: how a command reaches a device, or what it does there.
 */
import type { HouseMode } from "../../core/api/house.ts";
import type { Base } from "../../core/base.ts";
import { isJsonObject, type JsonObject } from "../../core/kernel/json-object.ts";
import { plainText } from "../../core/kernel/plain-text.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Grants } from "../access/grants.ts";
import type { Commands } from "../devices/commands.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import { isDeeperThan, MAX_JSON_DEPTH } from "../devices/rules/device-state.ts";
import type { Feed } from "../feed/feed.ts";
import type { HouseModes } from "../house/house-modes.ts";
import { type SceneRow, SceneTable } from "./tables/scene.ts";

/** One command of a scene. */
export interface SceneAction {
  readonly deviceId: string;
  readonly command: JsonObject;
}

/** A scene; times are epoch milliseconds. */
export interface Scene {
  readonly id: number;
  readonly name: string;
  readonly icon: string | null;
  readonly actions: readonly SceneAction[];
  /** What it also sets the house to, once its commands are out; null: nothing. */
  readonly houseMode: HouseMode | null;
  /** Whether it has a valid issuer: without one it is not run. */
  readonly enabled: boolean;
  readonly lastActivatedAt: number | null;
}

/** A scene to be made. */
export interface SceneInput {
  readonly name: string;
  readonly icon?: string | null;
  readonly actions: readonly SceneAction[];
  readonly houseMode?: HouseMode | null;
}

/** The result of an activation. */
export interface Activation {
  readonly name: string;
  /** Commands the broker accepted. */
  readonly sent: number;
  /** Devices that no longer belong to the household, each once, in the order of the actions. */
  readonly skipped: readonly string[];
  /** Owned devices whose command was refused, with the problem's code. */
  readonly refused: readonly { readonly deviceId: string; readonly code: string }[];
}

/** Longest scene name in code points. */
const MAX_SCENE_NAME = 120;
const LIMITS = { scenesPerSite: 200, actionsPerScene: 100 };
const MAX_ICON = 40;
const MAX_COMMAND_CHARACTERS = 16 * 1024;

/** The scenes of all households. */
export class Scenes {
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #commands: Commands;
  readonly #grants: Grants;
  readonly #feed: Feed;
  readonly #modes: Pick<HouseModes, "set" | "refuseBeyond">;
  readonly #limits: typeof LIMITS;
  readonly #table: SceneTable;

  constructor(
    base: Base,
    {
      registry,
      commands,
      grants,
      feed,
      modes,
      limits = LIMITS,
    }: {
      readonly registry: DeviceRegistry;
      readonly commands: Commands;
      readonly grants: Grants;
      readonly feed: Feed;
      readonly modes: Pick<HouseModes, "set" | "refuseBeyond">;
      readonly limits?: typeof LIMITS;
    },
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#commands = commands;
    this.#grants = grants;
    this.#feed = feed;
    this.#modes = modes;
    this.#limits = limits;
    this.#table = new SceneTable(base.database);
  }

  /** All scenes of a household, by id. */
  list(siteId: number): Scene[] {
    return this.#table.bySite(siteId).map((row) => this.#shown(row));
  }

  /** @throws Problem `scene_not_found`. */
  get(siteId: number, id: number): Scene {
    return this.#shown(this.#own(siteId, id));
  }

  /** The devices that a scene commands, in its order; null if the household has no such scene. */
  devicesOf(siteId: number, id: number): readonly string[] | null {
    return this.actionsOf(siteId, id)?.map(({ deviceId }) => deviceId) ?? null;
  }

  /** The commands of a scene, in its order; null if the household has no such scene. */
  actionsOf(siteId: number, id: number): readonly SceneAction[] | null {
    const row = this.#table.byId(siteId, id);
    return row === null ? null : this.#shown(row).actions;
  }

  /** What a scene also sets the house to; null: nothing, or the household has no such scene. */
  modeOf(siteId: number, id: number): HouseMode | null {
    return this.#table.byId(siteId, id)?.houseMode ?? null;
  }

  /** A scene's name; null if the household has no such scene. */
  nameOf(siteId: number, id: number): string | null {
    return this.#table.byId(siteId, id)?.name ?? null;
  }

  /** Notes that a scene ran in a simulated household's made-up past; inside a job. */
  recordPast(id: number, at: number): void {
    this.#table.activated(id, at);
  }

  /** @throws Problem `invalid_body`, `unknown_device`, `limit_reached`. */
  async create(siteId: number, input: SceneInput): Promise<Scene> {
    return this.get(siteId, await this.#base.database.write(() => this.insert(siteId, input)));
  }

  /** As {@link create}, inside a job; returns the scene's id. */
  insert(siteId: number, input: SceneInput): number {
    const { clock } = this.#base;
    const row = {
      name: sceneName(input.name),
      icon: sceneIcon(input.icon ?? null),
      actions: this.#checkedActions(siteId, input.actions),
      houseMode: input.houseMode ?? null,
    };
    if (this.#table.count(siteId) >= this.#limits.scenesPerSite)
      throw new Problem("limit_reached", { code: "refusal.most.scenes", limit: this.#limits.scenesPerSite });
    return this.#table.insert({ ...row, siteId, createdAt: clock.now() });
  }

  /** Changes what is given. @throws Problem `scene_not_found`, `invalid_body`, `unknown_device`. */
  async edit(siteId: number, id: number, input: Partial<SceneInput>): Promise<Scene> {
    await this.#base.database.write(() => this.update(siteId, id, input));
    return this.get(siteId, id);
  }

  /** As {@link edit}, inside a job. `rewritten`: it does something else than before, or is run again. */
  update(
    siteId: number,
    id: number,
    input: Partial<SceneInput>,
  ): { readonly name: string; readonly rewritten: boolean } {
    const row = this.#own(siteId, id);
    const name = input.name === undefined ? row.name : sceneName(input.name);
    const icon = input.icon === undefined ? row.icon : sceneIcon(input.icon);
    const actions = input.actions === undefined ? row.actions : this.#checkedActions(siteId, input.actions);
    const houseMode = input.houseMode === undefined ? row.houseMode : input.houseMode;
    this.#table.update({ id, name, icon, actions, houseMode });
    const isSame = actions === row.actions && houseMode === row.houseMode;
    return { name, rewritten: !isSame || !this.#stands(id) };
  }

  /** @throws Problem `scene_not_found`. */
  async remove(siteId: number, id: number): Promise<void> {
    await this.#base.database.write(() => this.drop(siteId, id));
  }

  /** As {@link remove}, inside a job; returns the scene's name. */
  drop(siteId: number, id: number): string {
    const { name } = this.#own(siteId, id);
    this.#table.remove(id);
    return name;
  }

  /**
   * Sends the scene's commands, each after the previous one was accepted or refused. A refusal stops nothing. The owner
   * decides what a scene does: a caller that may run scenes runs it as it is. `chargedTo`: whose share of the devices'
   * commands it uses; `opensNothing`: whether what comes of it opens nothing.
   * @throws Problem `scene_not_found`; `conflict` if it has no valid issuer; `forbidden` if it opens what the person who
   *   runs it may not open now, or moves what others are let in by; `broker_unavailable` when there were owned devices and the broker took none of their
   *   commands.
   */
  async activate(
    siteId: number,
    id: number,
    actor: string,
    { chargedTo = actor, opensNothing = false }: { readonly chargedTo?: string; readonly opensNothing?: boolean } = {},
  ): Promise<Activation> {
    const scene = this.get(siteId, id);
    if (!scene.enabled) throw new Problem("conflict", { code: "conflict.sceneOff", name: scene.name });
    // whole, or not at all
    this.#commands.refuseBeyond(siteId, scene.actions, actor);
    if (scene.houseMode !== null) this.#modes.refuseBeyond(siteId, scene.houseMode, actor);
    const skipped = new Set<string>();
    const refused: { deviceId: string; code: string }[] = [];
    let sent = 0;
    for (const { deviceId, command } of scene.actions) {
      if (!this.#registry.owns(siteId, deviceId)) {
        skipped.add(deviceId);
        continue;
      }
      try {
        await this.#commands.send({
          siteId,
          deviceId,
          command: JSON.stringify(command),
          actor,
          source: "scene",
          chargedTo,
          opensNothing,
        });
        sent += 1;
      } catch (error) {
        refused.push({ deviceId, code: this.#codeOf(error, deviceId) });
      }
    }
    if (sent === 0 && refused.length > 0 && refused.every(({ code }) => code === "broker_unavailable")) {
      throw new Problem("broker_unavailable", "The message broker took none of the scene's commands.");
    }
    if (scene.houseMode !== null) await this.#setMode(siteId, scene, scene.houseMode, actor);
    await this.#noteActivation(siteId, scene, { sent, skipped: skipped.size, refused: refused.length }, actor);
    return { name: scene.name, sent, skipped: [...skipped], refused };
  }

  /** The commands are out: a full disk may cost the mode, not the answer. */
  async #setMode(siteId: number, { id, name }: Scene, mode: HouseMode, actor: string): Promise<void> {
    await this.#modes
      .set(siteId, mode, { actor, name })
      .catch((error: unknown) =>
        this.#base.logger.warn({ sceneId: id, err: error }, "a scene could not set the house"),
      );
  }

  /** The commands are out: a full disk may cost the note, not the answer. */
  async #noteActivation(
    siteId: number,
    scene: Scene,
    figures: { sent: number; skipped: number; refused: number },
    actor: string,
  ): Promise<void> {
    const { database, bus, clock, logger } = this.#base;
    const at = clock.now();
    const { id: sceneId, name } = scene;
    try {
      await database.write(() => {
        this.#table.activated(sceneId, at);
        const { sent, skipped, refused } = figures;
        const who = actor.startsWith("scene:") ? null : this.#commands.nameOf(actor);
        const text =
          skipped + refused === 0
            ? who === null
              ? ({ code: "scene.activated", name, sent } as const)
              : ({ code: "scene.run", who, name, sent } as const)
            : ({ code: "scene.partly", name, sent, skipped, refused } as const);
        const by = this.#commands.accountOf(actor);
        this.#feed.record({ siteId, kind: "scene.activated", deviceId: null, text, by, at });
        database.committed(() => bus.announce("scene.activated", { siteId, sceneId, name, at }));
      });
    } catch (error) {
      logger.warn({ sceneId, err: error }, "a scene's activation could not be written");
    }
  }

  #codeOf(error: unknown, deviceId: string): string {
    if (error instanceof Problem) return error.code;
    this.#base.logger.error({ deviceId, err: error }, "a scene's command failed");
    return "internal";
  }

  #checkedActions(siteId: number, actions: readonly SceneAction[]): string {
    if (actions.length > this.#limits.actionsPerScene)
      throw invalid("/actions", "too_many", `a scene can have ${this.#limits.actionsPerScene} actions`);
    const checked = actions.map(({ deviceId, command }, index) => {
      const field = `/actions/${index}`;
      if (!this.#registry.owns(siteId, deviceId)) {
        const message = `there is no device ${deviceId}`;
        throw new Problem("unknown_device", `${field}/deviceId: ${message}.`, {
          details: [{ field: `${field}/deviceId`, code: "unknown_device", message }],
        });
      }
      if (!isJsonObject(command) || isDeeperThan(command, MAX_JSON_DEPTH))
        throw invalid(`${field}/command`, "too_deep", `a command is an object of at most ${MAX_JSON_DEPTH} levels`);
      if (JSON.stringify(command).length > MAX_COMMAND_CHARACTERS)
        throw invalid(`${field}/command`, "too_long", `a command has at most ${MAX_COMMAND_CHARACTERS} characters`);
      return { deviceId, command };
    });
    return JSON.stringify(checked);
  }

  #shown({ id, name, icon, actions, houseMode, lastActivatedAt }: SceneRow): Scene {
    return {
      id,
      name,
      icon,
      actions: JSON.parse(actions) as SceneAction[], // written by #checkedActions only
      houseMode,
      enabled: this.#stands(id),
      lastActivatedAt,
    };
  }

  /** Whether the owner who wrote what a scene does is still one. */
  #stands(id: number): boolean {
    return this.#grants.stands("scene", String(id));
  }

  #own(siteId: number, id: number): SceneRow {
    const row = this.#table.byId(siteId, id);
    if (row === null) throw new Problem("scene_not_found", "There is no such scene.");
    return row;
  }
}

function sceneName(name: string): string {
  return plainText(name, { field: "/name", min: 1, max: MAX_SCENE_NAME });
}

function sceneIcon(icon: string | null): string | null {
  return icon === null || icon.trim() === "" ? null : plainText(icon, { field: "/icon", min: 1, max: MAX_ICON });
}

function invalid(field: string, code: string, message: string): Problem {
  return new Problem("invalid_body", `${field}: ${message}.`, { details: [{ field, code, message }] });
}
