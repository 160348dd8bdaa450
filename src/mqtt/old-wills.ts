import type { PublishPacket } from "aedes";
import { deviceOfClient } from "./authorise.js";
import type { Intake } from "./intake.js";
import type { Persistence } from "./persistence.js";

/** Publishes the wills of clients that were connected in an earlier run and did not come back; `brokerId` is this run's. */
export async function publishOldWills(brokerId: string, persistence: Persistence, intake: Intake): Promise<void> {
  for await (const will of persistence.streamWill({ [brokerId]: true })) {
    const { clientId, ...packet } = will as PublishPacket & { clientId: string }; // stored by Persistence.putWill
    const from = { deviceId: deviceOfClient(clientId), clientId, client: null, connection: null };
    await new Promise<void>((resolve) => intake.will(from, { ...packet, cmd: "publish" }, resolve));
    await persistence.delWill({ id: clientId });
    await persistence.settle();
  }
}
