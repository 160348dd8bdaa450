import { useState } from "preact/hooks";
import { get, post, remove } from "../../../console/api.ts";
import { Card, Empty, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { usePolled } from "../../../console/components/polled.ts";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { ago, t, timeOfDay } from "../../../console/i18n/translate.ts";
import { query } from "../../../console/router.ts";
import { devices as known } from "../../../console/store.ts";
import { callGate, isMover } from "../../gate/console/gate-devices.ts";
import { SetUpBar } from "../../gate/console/set-up.tsx";
import { wantsGate } from "../../gate/console/set-up-path.ts";
import { Abilities, AcceptClient, AddOtherMake, MadeClientDialog } from "./bridge-clients.tsx";
import type { BridgeClient, BridgedDevice, BridgeFamily, BridgePairing, MadeClient } from "./bridge-model.ts";
import { OrphanedTopicsCard, ProblemsCard } from "./bridge-problems.tsx";

const WINDOW_MINUTES = 10;

/** What does not change while the page is open. */
async function loadFixed() {
  const [{ families }, orphanedTopics] = await Promise.all([get("/api/bridge/families"), get("/api/bridge/ghosts")]);
  return { families, orphanedTopics };
}

/** Who is here: it changes while somebody stands at a device and pastes what this page gave them. */
async function loadLive() {
  const [pairing, clients, devices, problems] = await Promise.all([
    get("/api/bridge/pairing"),
    get("/api/bridge/clients"),
    get("/api/bridge/devices"),
    get("/api/bridge/problems"),
  ]);
  return { ...pairing, ...clients, ...devices, ...problems };
}

/** Devices of other makes: accepting clients, their devices, and messages that could not be understood. */
export function BridgePage() {
  const [fixed, loadAgain] = useLoaded(loadFixed);
  const { value: all, again } = usePolled(loadLive);
  const add = new URLSearchParams(query()).get("add");
  const [adding, setAdding] = useState(add !== null);
  const [accepting, setAccepting] = useState<BridgeClient | null>(null);
  const [removing, setRemoving] = useState<BridgeClient | null>(null);
  const [made, setMade] = useState<MadeClient | null>(null);
  const families = fixed?.families ?? [];
  const act = (work: Promise<unknown>, done?: string): void =>
    void work
      .then(() => {
        if (done !== undefined) say(done);
        again();
        loadAgain();
      })
      .catch(sayError);
  return (
    <>
      <PageHead title={t("bridge.title")} subtitle={t("bridge.subtitle")}>
        <Button look="primary" icon="plus" text={t("bridge.add")} onClick={() => setAdding(true)} />
      </PageHead>
      <Tabs of="/system" here="/system/bridge" />
      <SetUpBar does="setUp.gate" />
      {all === null || fixed === null ? (
        <p aria-busy="true">{t("state.loading")}</p>
      ) : (
        <div class="columns">
          <div class="stack home-main">
            <ClientsCard
              clients={all.clients}
              devices={all.devices}
              families={families}
              onAccept={setAccepting}
              onRefuse={(client) => act(post("/api/bridge/clients/{id}/refuse", { params: { id: client.id } }))}
              onRemove={setRemoving}
              onPassword={(client) =>
                void post("/api/bridge/clients/{id}/password", { params: { id: client.id } })
                  .then(setMade)
                  .catch(sayError)
              }
            />
            {all.devices.length > 0 && <DevicesCard devices={all.devices} families={families} />}
            <PairingCard
              pairing={all.pairing}
              onOpen={(minutes) => act(post("/api/bridge/pairing", { body: { minutes } }))}
              onShut={() => act(remove("/api/bridge/pairing"))}
            />
          </div>
          <div class="stack home-side">
            {all.problems.length > 0 && (
              <ProblemsCard problems={all.problems} onClear={() => act(remove("/api/bridge/problems"))} />
            )}
            {fixed.orphanedTopics.total > 0 && (
              <OrphanedTopicsCard
                orphanedTopics={fixed.orphanedTopics}
                onClear={() => act(post("/api/bridge/ghosts/clear"), t("bridge.ghostsCleared"))}
              />
            )}
            <FamiliesCard families={families} />
          </div>
        </div>
      )}
      {adding && fixed !== null && (
        <AddOtherMake
          families={families}
          isRelay={add === "relay"}
          onClose={() => setAdding(false)}
          onMade={(client) => {
            setAdding(false);
            setMade(client);
            again();
          }}
        />
      )}
      {accepting && (
        <AcceptClient
          client={accepting}
          families={families}
          onClose={() => {
            setAccepting(null);
            again();
          }}
        />
      )}
      {made && (
        <MadeClientDialog
          made={made}
          client={all?.clients.find(({ id }) => id === made.client.id)}
          onClose={() => {
            setMade(null);
            loadAgain();
          }}
        />
      )}
      {removing && (
        <Confirm
          title={t("bridge.removeTitle", { name: removing.name })}
          text={t("bridge.removeText")}
          action={t("device.remove")}
          danger
          onYes={async () => {
            await remove("/api/bridge/clients/{id}", { params: { id: removing.id } });
            again();
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

function PairingCard({
  pairing,
  onOpen,
  onShut,
}: {
  pairing: BridgePairing;
  onOpen: (minutes: number) => void;
  onShut: () => void;
}) {
  return (
    <Card
      title={t("bridge.pairing")}
      action={pairing.open ? <span class="badge warn">{t("bridge.open")}</span> : undefined}
    >
      <p class="soft small">{t("bridge.pairingText")}</p>
      {pairing.open && pairing.until !== null && (
        <Notice tone="warn">{t("bridge.openUntil", { at: timeOfDay(pairing.until) })}</Notice>
      )}
      <div class="row">
        {pairing.open ? (
          <Button text={t("bridge.shut")} onClick={onShut} />
        ) : (
          <Button text={t("bridge.letIn", { n: WINDOW_MINUTES })} onClick={() => onOpen(WINDOW_MINUTES)} />
        )}
      </div>
    </Card>
  );
}

function ClientsCard({
  clients,
  devices,
  families,
  onAccept,
  onRefuse,
  onRemove,
  onPassword,
}: {
  clients: readonly BridgeClient[];
  devices: readonly BridgedDevice[];
  families: readonly BridgeFamily[];
  onAccept: (client: BridgeClient) => void;
  onRefuse: (client: BridgeClient) => void;
  onRemove: (client: BridgeClient) => void;
  onPassword: (client: BridgeClient) => void;
}) {
  return (
    <Card title={t("bridge.clients")}>
      {clients.length === 0 && <Empty icon="plug" text={t("bridge.noClients")} />}
      <ul class="list tooled">
        {clients.map((client) => (
          <li key={client.id}>
            <div class="grow">
              <p>
                {client.name} <StatusBadge client={client} />
              </p>
              <p class="soft small">
                {[
                  client.families
                    .map((name) => families.find((family) => family.name === name)?.label ?? name)
                    .join(", "),
                  client.address,
                  client.lastSeen === null ? t("time.never") : ago(client.lastSeen),
                  client.topics.slice(0, 2).join(", "),
                ]
                  .filter((part) => part !== null && part !== "")
                  .join(" · ")}
              </p>
              {client.status === "pending" && client.announces.length > 0 && (
                <p class="small">
                  {t("bridge.wouldBring", { devices: client.announces.map(({ name }) => name).join(", ") })}
                </p>
              )}
              {client.status === "accepted" && (
                <details class="small">
                  <summary>{t("bridge.abilities")}</summary>
                  <Abilities
                    makes={client.families}
                    devices={devices.flatMap(({ deviceId, name }) => (client.devices.includes(deviceId) ? [name] : []))}
                    families={families}
                  />
                </details>
              )}
            </div>
            <div class="tools">
              {client.status !== "accepted" && (
                <Button look="primary" text={t("bridge.accept")} onClick={() => onAccept(client)} />
              )}
              {client.status !== "refused" && <Button text={t("bridge.refuse")} onClick={() => onRefuse(client)} />}
              {client.status === "accepted" && (
                <Button text={t("device.newPassword")} onClick={() => onPassword(client)} />
              )}
              <IconButton
                icon="trash"
                label={t("rule.removeNamed", { name: client.name })}
                onClick={() => onRemove(client)}
              />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function StatusBadge({ client }: { client: BridgeClient }) {
  if (client.status === "pending") return <span class="badge warn">{t("bridge.waiting")}</span>;
  if (client.status === "refused") return <span class="badge bad">{t("bridge.refused")}</span>;
  return client.connected ? (
    <span class="badge good">{t("device.online")}</span>
  ) : (
    <span class="badge">{t("device.offline")}</span>
  );
}

function DevicesCard({ devices, families }: { devices: readonly BridgedDevice[]; families: readonly BridgeFamily[] }) {
  const label = (name: string): string => families.find((family) => family.name === name)?.label ?? name;
  const movers = new Set([...known.value.values()].filter(isMover).map(({ id }) => id));
  return (
    <Card title={t("home.devices")}>
      <ul class="list">
        {devices.map((device) => (
          <li key={device.deviceId}>
            <div class="grow">
              <p>
                <a href={`/devices/${encodeURIComponent(device.deviceId)}`}>{device.name}</a>{" "}
                {device.estimatedEnergy && <span class="badge warn">{t("bridge.estimated")}</span>}
              </p>
              <p class="soft small">
                {[label(device.family), device.manufacturer, device.model, device.firmware]
                  .filter((part) => part !== null)
                  .join(" · ")}
                {device.alsoSeenBy.length > 0 &&
                  ` · ${t("bridge.alsoSeenBy", { families: device.alsoSeenBy.map(label).join(", ") })}`}
              </p>
            </div>
            {wantsGate() && movers.has(device.deviceId) && (
              <Button
                look="primary"
                text={t("addDevice.moves")}
                onClick={() => void callGate(device.deviceId).catch(sayError)}
              />
            )}
            <span class={device.online ? "badge good" : "badge"}>
              {device.online ? t("device.online") : t("device.offline")}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function FamiliesCard({ families }: { families: readonly BridgeFamily[] }) {
  return (
    <FoldCard title={t("bridge.families")} value={families.map(({ label }) => label).join(", ")} starts="folded">
      <ul class="list">
        {families.map((family) => (
          <li key={family.name}>
            <div class="grow">
              <p>{family.label}</p>
              {family.prefix !== null && (
                <p class="soft small">
                  <code>{family.prefix}/…</code>
                </p>
              )}
            </div>
            <span class="soft small">{t("rooms.devices", { n: family.devices })}</span>
          </li>
        ))}
      </ul>
    </FoldCard>
  );
}
