import { type Command, columns, json, readArguments, UsageError, withHub } from "./command.ts";
import type { HubCalls } from "./control-socket.ts";

interface ShownDevice {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly room: string | null;
  readonly online: boolean;
  readonly lastSeen: string | null;
}

/** `gatehouse devices …`. */
export const devicesCommand: Command = {
  name: "devices",
  summary: "list, create and remove devices, renew their passwords",
  help: `Usage: gatehouse devices list
       gatehouse devices create [--id ID] --name NAME --type TYPE [--room ROOM]
       gatehouse devices password ID   a new MQTT password; the old one ends at once
       gatehouse devices revoke ID     the device is removed (also: remove)

create and password print the MQTT password this once.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {
      id: { type: "string" },
      name: { type: "string" },
      type: { type: "string" },
      room: { type: "string" },
    });
    const [verb = "list", id] = positionals;
    return withHub(io, values.data, async (hub) => {
      if (verb === "list") {
        // features/devices/api/devices.ts
        const { devices } = (await hub.call("GET", "/v1/devices")) as { devices: ShownDevice[] };
        io.out(
          values.json
            ? json({ devices })
            : columns(["id", "type", "room", "online", "last seen", "name"], devices.map(row)),
        );
      } else if (verb === "create") {
        if (values.name === undefined || values.type === undefined)
          throw new UsageError("create needs --name and --type.");
        const given = Object.fromEntries(
          ["id", "name", "type", "room"].flatMap((name) => (name in values ? [[name, values[name as "id"]]] : [])),
        ); // the names of the options
        // features/devices/api/console-devices.ts
        const made = (await hub.call("POST", "/api/devices", given)) as { device: ShownDevice; password: string };
        io.out(values.json ? json(made) : `id        ${made.device.id}\npassword  ${made.password}\n`);
      } else {
        const result = await change(hub, verb, id);
        io.out(values.json || result.password === undefined ? json(result) : `${result.password}\n`);
      }
      return 0;
    });
  },
};

async function change(hub: HubCalls, verb: string, id: string | undefined): Promise<{ password?: string }> {
  if (id === undefined) throw new UsageError(`${verb} needs the id of a device (see: gatehouse devices list).`);
  const path = `/api/devices/${encodeURIComponent(id)}`;
  // features/devices/api/console-devices.ts
  if (verb === "password") return (await hub.call("POST", `${path}/password`)) as { password: string };
  if (verb === "revoke" || verb === "remove") return (await hub.call("DELETE", path)) as object;
  throw new UsageError(`There is no 'devices ${verb}'.`);
}

function row(device: ShownDevice): string[] {
  return [
    device.id,
    device.type,
    device.room ?? "",
    device.online ? "yes" : "no",
    device.lastSeen ?? "never",
    device.name,
  ];
}
