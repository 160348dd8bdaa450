import { Card, Empty, Notice, PageHead, Plate } from "../components/basics.js";
import { DeviceTile } from "../components/device-tile.js";
import { FeedList } from "../components/feed-list.js";
import { OccupancyGauge } from "../components/occupancy.js";
import { number, t } from "../i18n/translate.js";
import { account, isOwner } from "../session.js";
import { type Device, deviceList, feed, loaded, occupancy, reads, rooms, scenes } from "../store.js";
import { HealthBanner } from "./health-card.js";
import { activateScene } from "./scene-actions.js";

/** Devices that are named in one line. */
const NAMED = 3;

/** The page that opens first: problems, favourites, rooms, who is inside, energy now, the last things that happened. */
export function Home() {
  if (!loaded.value) return <p aria-busy="true">{t("state.loading")}</p>;
  const all = deviceList.value;
  const offline = all.filter((device) => !device.online);
  const favourites = all.filter((device) => device.favorite);
  const watts = all.reduce((sum, device) => sum + (device.online && typeof device.state.watts === "number" ? device.state.watts : 0), 0);
  return (
    <>
      <PageHead title={greeting()} subtitle={t("home.summary", { devices: all.length, online: all.length - offline.length })} />
      <HealthBanner />
      {offline.length > 0 && <Notice tone="warn">{t("home.offline", { n: offline.length, names: namesOf(offline) })}</Notice>}
      {all.length === 0 && (
        <Card>
          <Empty icon="plug" text={t("home.noDevices")}>
            {isOwner.value && (
              <a class="button primary" href="/system/devices">
                {t("home.addDevice")}
              </a>
            )}
          </Empty>
        </Card>
      )}
      <div class="columns">
        <div class="stack home-main">
          {scenes.value.length > 0 && (
            <section aria-label={t("nav.scenes")} class="chips">
              {scenes.value.map((scene) => (
                <button type="button" class="chip" key={scene.id} onClick={() => activateScene(scene)}>
                  {scene.name}
                </button>
              ))}
            </section>
          )}
          <div class="rooms">
            {favourites.length > 0 && <Tiles title={t("home.favourites")} devices={favourites} />}
            {rooms.value.map((room) => {
              const inRoom = all.filter((device) => device.room?.toLowerCase() === room.name.toLowerCase());
              return inRoom.length > 0 && <Tiles key={room.id} title={room.name} devices={inRoom} />;
            })}
            <Tiles title={rooms.value.length > 0 ? t("home.noRoom") : t("home.devices")} devices={all.filter((device) => device.room === null)} />
          </div>
        </div>
        <div class="stack home-side">
          <Card title={t("home.inside")} action={<a href="/gate">{t("nav.gate")}</a>}>
            {occupancy.value && <OccupancyGauge occupancy={occupancy.value} />}
            {reads.value[0] && (
              <div class="row">
                <Plate text={reads.value[0].formatted ?? reads.value[0].plate} />
                <span class="soft small">{t("home.lastRead")}</span>
              </div>
            )}
          </Card>
          <Card title={t("home.energyNow")}>
            <p class="big-number">{number(watts, 0)} W</p>
          </Card>
          <Card title={t("home.latest")} action={<a href="/activity">{t("home.all")}</a>}>
            <FeedList items={feed.value.slice(0, 6)} />
          </Card>
        </div>
      </div>
    </>
  );
}

function Tiles({ title, devices }: { title: string; devices: readonly Device[] }) {
  if (devices.length === 0) return null;
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      <ul class="tiles">
        {devices.map((device) => (
          <DeviceTile key={device.id} device={device} />
        ))}
      </ul>
    </section>
  );
}

/** The first few by name, the others by number. */
function namesOf(some: readonly Device[]): string {
  const names = some
    .slice(0, NAMED)
    .map((device) => device.name)
    .join(", ");
  return some.length > NAMED ? t("home.andMore", { names, n: some.length - NAMED }) : names;
}

function greeting(): string {
  const hour = new Date().getHours();
  const words = hour < 5 ? t("home.night") : hour < 12 ? t("home.morning") : hour < 18 ? t("home.afternoon") : t("home.evening");
  const name = account.value?.name.split(" ")[0];
  return name ? `${words}, ${name}` : words;
}
