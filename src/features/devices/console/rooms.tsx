import { useState } from "preact/hooks";
import { patch, post, put, remove } from "../../../console/api.ts";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { nameIn } from "../../../console/components/device-tile.tsx";
import { Confirm, Dialog, Form } from "../../../console/components/dialog.tsx";
import { Group, TextField } from "../../../console/components/field.tsx";
import { Icon, ROOM_ICONS, roomIcon } from "../../../console/components/icon.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { deviceList, type Room, refreshRooms, rooms, set } from "../../../console/store.ts";

/** Devices of a room that are named in the list. */
const NAMED = 4;

/** Rooms in their order: add, rename, icon, position in the list, remove. */
export function RoomsPage() {
  const [editing, setEditing] = useState<Room | "new" | null>(null);
  const [removing, setRemoving] = useState<Room | null>(null);
  const move = async (index: number, by: 1 | -1): Promise<void> => {
    const ids = rooms.value.map((room) => room.id);
    const [moved] = ids.splice(index, 1);
    if (moved !== undefined) ids.splice(index + by, 0, moved);
    try {
      set(rooms, (await put("/api/rooms/order", { body: { ids } })).rooms);
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <>
      <PageHead title={t("rooms.title")} subtitle={t("more.rooms")}>
        <Button look="primary" icon="plus" text={t("rooms.add")} onClick={() => setEditing("new")} />
      </PageHead>
      <Tabs of="/system" here="/system/rooms" />
      <Card>
        {rooms.value.length === 0 && <Empty icon="doorOpen" text={t("rooms.none")} />}
        <ul class="list">
          {rooms.value.map((room, index) => (
            <li key={room.id}>
              <Icon name={roomIcon(room.icon)} />
              <div class="grow">
                <p>
                  <a href={`/rooms/${room.id}`}>{room.name}</a>
                </p>
                <p class="soft small">{insideOf(room)}</p>
              </div>
              <span class="tools close">
                <IconButton
                  icon="arrowUp"
                  label={t("rooms.up", { name: room.name })}
                  disabled={index === 0}
                  onClick={() => void move(index, -1)}
                />
                <IconButton
                  icon="arrowDown"
                  label={t("rooms.down", { name: room.name })}
                  disabled={index === rooms.value.length - 1}
                  onClick={() => void move(index, 1)}
                />
                <IconButton
                  icon="pencil"
                  label={t("rooms.editNamed", { name: room.name })}
                  onClick={() => setEditing(room)}
                />
              </span>
            </li>
          ))}
        </ul>
      </Card>
      {editing && (
        <RoomDialog
          room={editing === "new" ? null : editing}
          onRemove={(room) => {
            setEditing(null);
            setRemoving(room);
          }}
          onClose={() => setEditing(null)}
        />
      )}
      {removing && (
        <Confirm
          title={t("device.removeTitle", { name: removing.name })}
          text={t("rooms.removeText")}
          action={t("device.remove")}
          danger
          onYes={async () => {
            await remove("/api/rooms/{id}", { params: { id: removing.id } });
            await refreshRooms();
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

/** What is in a room, by name as far as a line goes. */
function insideOf({ name, deviceCount }: Room): string {
  const names = deviceList.value
    .filter(({ room }) => room?.toLowerCase() === name.toLowerCase())
    .map((device) => nameIn(device.name, name));
  const shown = names.slice(0, NAMED).join(", ");
  if (names.length === 0) return t("rooms.devices", { n: deviceCount });
  return names.length > NAMED ? t("rooms.andMore", { names: shown, n: names.length - NAMED }) : shown;
}

function RoomDialog({
  room,
  onRemove,
  onClose,
}: {
  room: Room | null;
  onRemove: (room: Room) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(room?.name ?? "");
  const [icon, setIcon] = useState(room?.icon ?? "room");
  const send = async (): Promise<void> => {
    await (room === null
      ? post("/api/rooms", { body: { name, icon } })
      : patch("/api/rooms/{id}", { params: { id: room.id }, body: { name, icon } }));
    await refreshRooms();
    onClose();
  };
  return (
    <Dialog title={room === null ? t("rooms.add") : t("rooms.edit")} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label={t("device.key")}
              value={name}
              onInput={setName}
              error={errors.name}
              maxLength={80}
              required
            />
            <Group legend={t("rooms.icon")}>
              <div class="chips">
                {ROOM_ICONS.map((choice) => (
                  <button
                    type="button"
                    class="chip"
                    key={choice}
                    aria-pressed={icon === choice}
                    aria-label={t(`icon.${choice}` as TextKey)} // every room icon has a name in the catalogue
                    onClick={() => setIcon(choice)}
                  >
                    <Icon name={roomIcon(choice)} />
                  </button>
                ))}
              </div>
            </Group>
            {room !== null && (
              <p>
                <Button look="danger" icon="trash" text={t("rooms.remove")} onClick={() => onRemove(room)} />
              </p>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}
