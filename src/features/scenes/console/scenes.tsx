import { useState } from "preact/hooks";
import { get, patch, post, remove } from "../../../console/api.ts";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { DeletedCard, sayDeleted } from "../../../console/components/deleted-card.tsx";
import { Confirm, Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField, SelectField } from "../../../console/components/field.tsx";
import { Icon, sceneIcon } from "../../../console/components/icon.tsx";
import { Name } from "../../../console/components/name.tsx";
import { NameField } from "../../../console/components/name-fields.tsx";
import { PageActions } from "../../../console/components/page-actions.tsx";
import type { Deleted } from "../../../console/components/trash.ts";
import { ago, t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import { type Device, deviceList, loaded, type Scene, scenes, set } from "../../../console/store.ts";
import { HOUSE_MODES, type HouseMode } from "../../../core/api/house.ts";
import type { Block } from "../../automations/console/block-editor.tsx";
import { BlockList } from "../../automations/console/block-list.tsx";
import { ACTIONS } from "../../automations/console/rule-blocks.ts";
import { modeWord } from "../../house/console/modes.ts";
import { activateScene } from "./scene-actions.ts";
import { sceneSentence } from "./scene-words.tsx";
import "../../../console/components/thing.css";

const COMMANDS = ACTIONS.filter((type) => type.type === "command");
/** State keys that a scene can restore, in the form that commands understand. */
const RESTORABLE = ["power", "power2", "power3", "power4", "brightness", "speed", "position", "target", "locked"];

async function reload(): Promise<void> {
  set(scenes, (await get("/v1/scenes")).scenes);
}

async function restore({ body }: Deleted): Promise<void> {
  await post("/api/scenes", { body: body as Pick<Scene, "name" | "icon" | "actions" | "houseMode"> }); // kept when it was deleted
  await reload();
}

/** Scenes: several commands with one tap; made by hand or from the current state of the house. */
export function ScenesPage() {
  const [editing, setEditing] = useState<Scene | "new" | null>(null);
  const [capturing, setCapturing] = useState(false);
  const [removing, setRemoving] = useState<Scene | null>(null);
  return (
    <>
      <PageHead title={t("nav.scenes")} subtitle={t("more.scenes")}>
        {isOwner.value && (
          <PageActions
            primary={{ text: t("scene.add"), icon: "plus", onClick: () => setEditing("new") }}
            others={[{ text: t("scene.capture"), onClick: () => setCapturing(true) }]}
          />
        )}
      </PageHead>
      {scenes.value.length === 0 && (
        <Card>
          <Empty icon="clapperboard" text={t("scene.none")} />
        </Card>
      )}
      <div class="cards">
        {scenes.value.map((scene) => (
          <SceneCard
            key={scene.id}
            scene={scene}
            onEdit={() => setEditing(scene)}
            onRemove={() => setRemoving(scene)}
          />
        ))}
      </div>
      {isOwner.value && <DeletedCard kind="scene" restore={restore} />}
      {editing && <EditScene scene={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
      {capturing && <CaptureScene onClose={() => setCapturing(false)} />}
      {removing && (
        <Confirm
          title={t("rule.removeTitle", { name: removing.name })}
          text={t("scene.removeText")}
          action={t("device.remove")}
          danger
          onYes={async () => {
            const { id, name, icon, actions, houseMode = null } = removing;
            await remove("/api/scenes/{id}", { params: { id } });
            await reload();
            sayDeleted({ kind: "scene", name, body: { name, icon, actions, houseMode } }, restore);
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

/** One scene: what it does, and running it. */
function SceneCard({ scene, onEdit, onRemove }: { scene: Scene; onEdit: () => void; onRemove: () => void }) {
  const { name, icon, enabled, lastActivatedAt } = scene;
  return (
    <section class="card thing" aria-label={name}>
      <div class="thing-head">
        <span class="tile-icon">
          <Icon name={sceneIcon(icon ?? "")} />
        </span>
        <h2 class="grow">
          <Name text={name} />
        </h2>
        <Button
          look="primary"
          icon="play"
          text={t("scene.run")}
          disabled={!enabled}
          onClick={() => activateScene(scene)}
        />
      </div>
      <p>{sceneSentence(scene)}</p>
      {!enabled && <p class="small error-text">{t("scene.off")}</p>}
      <div class="thing-foot">
        <p class="soft small grow">
          {lastActivatedAt === null ? t("scene.neverRan") : t("scene.lastRan", { ago: ago(lastActivatedAt) })}
        </p>
        {isOwner.value && (
          <>
            <IconButton icon="pencil" label={t("scene.editNamed", { name })} onClick={onEdit} />
            <IconButton icon="trash" label={t("rule.removeNamed", { name })} onClick={onRemove} />
          </>
        )}
      </div>
    </section>
  );
}

function EditScene({ scene, onClose }: { scene: Scene | null; onClose: () => void }) {
  const [name, setName] = useState(scene?.name ?? "");
  const [blocks, setBlocks] = useState<readonly Block[]>(
    (scene?.actions ?? []).map((action) => ({ type: "command", deviceId: action.deviceId, command: action.command })),
  );
  const [houseMode, setHouseMode] = useState<HouseMode | "">(scene?.houseMode ?? "");
  const send = async (): Promise<void> => {
    const body = {
      name,
      houseMode: houseMode === "" ? null : houseMode,
      actions: blocks.map(({ deviceId, command }) => ({ deviceId: deviceId as string, command: command as object })),
    }; // the hub checks them
    await (scene === null
      ? post("/api/scenes", { body })
      : patch("/api/scenes/{id}", { params: { id: scene.id }, body }));
    await reload();
    onClose();
  };
  return (
    <Dialog title={scene === null ? t("scene.add") : t("scene.editTitle")} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <NameField value={name} onInput={setName} errors={errors} />
            <BlockList
              blocks={blocks}
              pointer="/actions"
              types={COMMANDS}
              addLabel={t("scene.addCommand")}
              onChange={setBlocks}
            />
            <SelectField
              label={t("scene.houseMode")}
              value={houseMode}
              options={[["", t("scene.leavesHouse")], ...HOUSE_MODES.map((mode) => [mode, modeWord(mode)] as const)]}
              onChange={setHouseMode}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function CaptureScene({ onClose }: { onClose: () => void }) {
  const usable = deviceList.value.filter((device) => Object.keys(restorable(device)).length > 0);
  const [name, setName] = useState("");
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set()); // devices may come later than this dialog
  const toggle = (id: string, on: boolean): void => {
    const next = new Set(leftOut);
    if (on) next.delete(id);
    else next.add(id);
    setLeftOut(next);
  };
  const send = async (): Promise<void> => {
    const actions = usable
      .filter((device) => !leftOut.has(device.id))
      .map((device) => ({ deviceId: device.id, command: restorable(device) }));
    await post("/api/scenes", { body: { name, actions } });
    await reload();
    onClose();
  };
  return (
    <Dialog title={t("scene.capture")} onClose={onClose}>
      <p class="soft">{t("scene.captureText")}</p>
      {loaded.value && (
        <Form submit={t("action.save")} send={send} onCancel={onClose}>
          {(errors) => (
            <>
              <NameField value={name} onInput={setName} errors={errors} />
              <div>
                {usable.map((device) => (
                  <CheckField
                    key={device.id}
                    label={device.name}
                    checked={!leftOut.has(device.id)}
                    onChange={(on) => toggle(device.id, on)}
                  />
                ))}
              </div>
            </>
          )}
        </Form>
      )}
    </Dialog>
  );
}

/** The command that restores a device's current state. */
function restorable(device: Device): Record<string, unknown> {
  if (device.type === "home-hub") {
    const relays = ["power", "power2", "power3", "power4"].map((key) => device.state[key] === true);
    return { relays };
  }
  return Object.fromEntries(
    RESTORABLE.filter((key) => device.state[key] !== undefined).map((key) => [key, device.state[key]]),
  );
}
