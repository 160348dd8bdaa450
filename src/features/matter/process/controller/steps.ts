import { EndpointNumber } from "@matter/main";
import { ColorControl } from "@matter/main/clusters/color-control";
import { DoorLock } from "@matter/main/clusters/door-lock";
import { FanControl } from "@matter/main/clusters/fan-control";
import { LevelControl } from "@matter/main/clusters/level-control";
import { OnOff } from "@matter/main/clusters/on-off";
import { Thermostat } from "@matter/main/clusters/thermostat";
import { ValveConfigurationAndControl } from "@matter/main/clusters/valve-configuration-and-control";
import { WindowCovering } from "@matter/main/clusters/window-covering";
import { type ClientInteraction, Invoke, type Specifier, Write } from "@matter/main/protocol";
import { Status } from "@matter/main/types";
import type { Static } from "typebox";
import { Problem } from "../../../../core/kernel/problem.ts";
import type { CONTROLLER_TO_PROCESS } from "../../controller/calls.ts";
import type { CommandedCluster } from "../../controller/commanded.ts";

const CLUSTERS = {
  onOff: OnOff,
  levelControl: LevelControl,
  colorControl: ColorControl,
  windowCovering: WindowCovering,
  doorLock: DoorLock,
  thermostat: Thermostat,
  fanControl: FanControl,
  valveConfigurationAndControl: ValveConfigurationAndControl,
} as const satisfies Record<CommandedCluster, unknown>;

/** The steps requested of a node. */
export type Steps = Static<(typeof CONTROLLER_TO_PROCESS)["controller.command"]["input"]>["steps"];

/** A reachable node answers within this time. */
const TIMEOUT_MS = 12_000;

/**
 * Carries out a node's steps one after another.
 * @throws Problem `unsupported_command` with the node's reason; Error if it does not respond in time
 */
export async function carryOut(interaction: ClientInteraction, steps: Steps): Promise<void> {
  for (const { endpoint, cluster, invoke, fields, write, value } of steps) {
    if (invoke !== undefined)
      await invoked(interaction, { endpoint: EndpointNumber(endpoint), cluster, command: invoke, fields });
    else if (write !== undefined)
      await written(interaction, { endpoint: EndpointNumber(endpoint), cluster, attribute: write, value });
  }
}

async function invoked(
  interaction: ClientInteraction,
  {
    endpoint,
    cluster,
    command,
    fields,
  }: { endpoint: EndpointNumber; cluster: CommandedCluster; command: string; fields: object | undefined },
): Promise<void> {
  const definition: Specifier.ClusterLike = CLUSTERS[cluster];
  const request: Invoke.ConcreteCommandRequest = {
    endpoint,
    cluster: definition,
    command,
    ...(fields === undefined ? {} : { fields }),
  };
  const chunks = interaction.invoke(Invoke(request), { abort: AbortSignal.timeout(TIMEOUT_MS) });
  for await (const chunk of chunks)
    for (const entry of chunk) if (entry.kind === "cmd-status") refuse(command, entry.status);
}

async function written(
  interaction: ClientInteraction,
  {
    endpoint,
    cluster,
    attribute,
    value,
  }: { endpoint: EndpointNumber; cluster: CommandedCluster; attribute: string; value: number | undefined },
): Promise<void> {
  const definition: Specifier.ClusterLike = CLUSTERS[cluster];
  const result = await interaction.write(
    Write(Write.Attribute({ endpoint, cluster: definition, attributes: [attribute], value })),
    {
      abort: AbortSignal.timeout(TIMEOUT_MS),
    },
  );
  for (const { status } of result ?? []) refuse(attribute, status);
}

function refuse(what: string, status: Status): void {
  if (status !== Status.Success)
    throw new Problem("unsupported_command", `The device refused ${what} (${Status[status] ?? status}).`);
}
