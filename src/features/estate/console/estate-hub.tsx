import { Button } from "../../../console/components/button.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { ago, t } from "../../../console/i18n/translate.ts";
import { type EstateHub, troublesOf } from "./estate-model.ts";

const MS = 1_000;

/** One hub: whether it is online, its problems, its last read, and its gates. */
export function EstateHubCard({
  hub,
  mayOpen,
  onOpen,
}: {
  hub: EstateHub;
  mayOpen: boolean;
  onOpen: (gate: EstateHub["gates"][number]) => void;
}) {
  return (
    <li class="card estate-hub">
      <div class="row between">
        <h3>{hub.name}</h3>
        <State hub={hub} />
      </div>
      <p class="soft small">
        {[
          hub.part,
          ...(hub.role === "manager" ? [t("estate.manager")] : []),
          ...(hub.reads === null ? [] : [t("estate.readsToday", { n: hub.reads })]),
        ].join(" · ")}
      </p>
      <Troubles hub={hub} />
      {hub.lastReadAt !== null && <p class="soft small">{t("estate.lastRead", { ago: ago(hub.lastReadAt) })}</p>}
      {hub.gates.length > 0 && (
        <div class="row estate-gates">
          {hub.gates.map((gate) => (
            <Button
              icon="fence"
              text={t("estate.openNamed", { gate: gate.name })}
              key={gate.deviceId}
              disabled={!mayOpen || hub.state !== "online"}
              onClick={() => onOpen(gate)}
            />
          ))}
        </div>
      )}
    </li>
  );
}

function State({ hub }: { hub: EstateHub }) {
  if (hub.self) return <span class="badge">{t("estate.thisHub")}</span>;
  if (hub.state === "online") return <span class="badge good">{t("estate.online")}</span>;
  if (hub.state === "offline") return <span class="badge bad">{t("estate.offline")}</span>;
  return <span class="badge">{t("estate.unknown")}</span>;
}

function Troubles({ hub }: { hub: EstateHub }) {
  const words = {
    offline: hub.heardAt === null ? t("estate.neverHeard") : t("estate.heard", { ago: ago(hub.heardAt) }),
    clock: t("estate.clockOff", { n: Math.round(Math.abs(hub.clockOffMs ?? 0) / MS) }),
    behind: t("estate.behind", { n: hub.behind ?? 0 }),
    waiting: t("estate.waiting", { n: hub.waiting ?? 0 }),
  };
  const troubles = troublesOf(hub);
  if (troubles.length === 0) return null;
  return (
    <ul class="estate-troubles small">
      {troubles.map((trouble) => (
        <li key={trouble}>
          <Icon name="circleAlert" small />
          {words[trouble]}
        </li>
      ))}
    </ul>
  );
}
