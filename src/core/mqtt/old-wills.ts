import type { PublishPacket } from "aedes";
import { deviceOfClient } from "./authorise.ts";
import { isBridged } from "./bridge-access-policy.ts";
import type { Intake } from "./intake.ts";
import type { Persistence } from "./persistence.ts";

/**
 * Publishes the wills of clients that were connected in an earlier run and did not reconnect; `brokerId` is this run's.
 */
export async function publishOldWills(brokerId: string, persistence: Persistence, intake: Intake): Promise<void> {
  for await (const will of persistence.streamWill({ [brokerId]: true })) {
    const { clientId, ...packet } = will as PublishPacket & { clientId: string }; // stored by Persistence.putWill
    const deviceId = deviceOfClient(clientId);
    const sender = { deviceId, clientId, isBridged: isBridged(deviceId), connection: null };
    await new Promise<void>((resolve) => intake.will(sender, { ...packet, cmd: "publish" }, resolve));
    await persistence.delWill({ id: clientId });
    await persistence.settle();
  }
}
