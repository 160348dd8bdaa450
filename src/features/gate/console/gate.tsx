import { useEffect, useState } from "preact/hooks";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { LiveFrame } from "../../../console/components/live-frame.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import { deviceList, occupancy, reads } from "../../../console/store.ts";
import { GateCard } from "./gate-card.tsx";
import { OccupancyGauge } from "./occupancy.tsx";
import { useOpenings } from "./openings.ts";
import { PassDialog } from "./pass-dialog.tsx";
import { ReadCard } from "./read-card.tsx";
import { isFiltered, NO_FILTER, type ReadFilter, ReadFilters, useReads } from "./read-filters.tsx";
import { askSeen, markAllSeen, unreadCount } from "./seen-reads.ts";

/** Reads on the page at first; each has a picture. */
const FIRST_READS = 12;

/**
 * Who came and went: the current state of each gate and camera, and reads as they happen, with picture, decision and
 * what happened at the gate.
 */
export function GatePage() {
  const [filter, setFilter] = useState<ReadFilter>(NO_FILTER);
  const [givesPass, setGivesPass] = useState(false);
  const [shown, setShown] = useState(FIRST_READS);
  const { found, more, problem } = useReads(filter);
  const openings = useOpenings();
  useEffect(() => void askSeen().catch(() => {}), [reads.value]);
  const showMore = (): void => {
    setShown(shown + FIRST_READS);
    if (shown + FIRST_READS > found.length) more?.();
  };
  const gates = deviceList.value.filter((device) => device.type === "gate");
  const cameras = deviceList.value.filter((device) => device.type === "camera");
  return (
    <>
      <PageHead title={t("nav.gate")}>
        {isOwner.value && <Button text={t("pass.new")} onClick={() => setGivesPass(true)} />}
      </PageHead>
      <Tabs of="/gate" here="/gate" />
      <div class="cards">
        {gates.map((gate) => (
          <GateCard key={gate.id} gate={gate} opening={openings.find((one) => one.deviceId === gate.id)} />
        ))}
        {occupancy.value && (
          <Card title={t("home.inside")}>
            <OccupancyGauge occupancy={occupancy.value} />
          </Card>
        )}
        {cameras.map((camera) => (
          <Card
            key={camera.id}
            title={camera.name}
            action={isOwner.value && <a href={`/gate/cameras/${encodeURIComponent(camera.id)}`}>{t("camera.setUp")}</a>}
          >
            <LiveFrame deviceId={camera.id} name={camera.name} fresh={false} />
          </Card>
        ))}
      </div>
      <ReadFilters filter={filter} cameras={cameras} problem={problem} onChange={setFilter} />
      {unreadCount.value > 0 && (
        <div class="row between" role="status">
          <p>{t("gate.newReads", { n: unreadCount.value })}</p>
          <Button text={t("gate.markSeen")} onClick={markAllSeen} />
        </div>
      )}
      {found.length === 0 ? (
        <Card>
          <Empty icon="car" text={isFiltered(filter) ? t("gate.noneFound") : t("gate.noReads")} />
        </Card>
      ) : (
        <div class="cards">
          {found.slice(0, shown).map((read) => (
            <ReadCard key={read.id} read={read} />
          ))}
        </div>
      )}
      {(shown < found.length || more !== null) && <Button text={t("feed.more")} onClick={showMore} />}
      {givesPass && <PassDialog onClose={() => setGivesPass(false)} />}
    </>
  );
}
