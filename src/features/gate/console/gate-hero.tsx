import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { shownNow } from "../../../console/clock.ts";
import { PageHeading, Plate } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { choicesOf, controlsOf } from "../../../console/components/controls.ts";
import { send } from "../../../console/components/device-controls.tsx";
import { isAway, isOpen, stateLine } from "../../../console/components/device-tile.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { LiveFrame } from "../../../console/components/live-frame.tsx";
import { Name } from "../../../console/components/name.tsx";
import { duration, t, whenText } from "../../../console/i18n/translate.ts";
import {
  command,
  type Device,
  deviceList,
  devices,
  type GateRead,
  hubAway,
  isPending,
  reads,
} from "../../../console/store.ts";
import { picturedRead, pictureOf, tellingRead } from "../rules/read-picture.ts";
import { moveOf } from "./gate-move.ts";
import { openingSentence, type Story, storyOf, waitsAtGate, whoOf } from "./gate-story.ts";
import { useOpenSince } from "./open-since.ts";
import { refusedOpening } from "./opening.tsx";
import { openingWhen, useOpenings } from "./openings.ts";
import { SlideToOpen } from "./slide-to-open.tsx";
import { type Fit, wholePlate } from "./whole-plate.ts";
import "./gate-hero.css";

/** The house's gate: the one that its cameras open, or else its first one. */
export function mainGate(): Device | undefined {
  const opened = reads.value.find((read) => read.opens !== null)?.opens;
  return (
    (opened == null ? undefined : devices.value.get(opened)) ??
    deviceList.value.find((device) => device.type === "gate")
  );
}

/** The last thing that happened at the gate: its picture, whose car it was, how the gate stands, and opening it. */
export function GateHero({ gate, greeting }: { gate: Device | undefined; greeting: string }) {
  const newest = reads.value[0];
  const read = tellingRead(reads.value);
  const shown = picturedRead(reads.value);
  const openings = useOpenings();
  const camera = deviceList.value.find((device) => device.type === "camera");
  const others = deviceList.value.filter((device) => device.type === "gate" && device !== gate).length;
  const openSince = useOpenSince(gate);
  // what is said of a car that may wait ends by itself
  const isWaiting = newest !== undefined && waitsAtGate(newest, shownNow(), STANDS_MS);
  const byHand = gate && openings?.find((one) => one.deviceId === gate.id);
  const isNewer = byHand !== undefined && byHand.readId === null && (read === undefined || byHand.at > read.at);
  return (
    <Hero
      picture={
        shown !== undefined ? (
          <a
            href={`/gate/reads/${shown.id}`}
            aria-label={t("read.review", { plate: whoOf(shown), camera: cameraName(shown) })}
          >
            <WholePicture key={pictureOf(shown).src} read={shown} />
          </a>
        ) : camera !== undefined && !reads.value.some(({ hasImage }) => hasImage) ? (
          <LiveFrame deviceId={camera.id} name={camera.name} fresh={false} />
        ) : null
      }
      note={shown === undefined ? "" : `${cameraName(shown)} · ${whenText(shown.at)}`}
    >
      <div class="hero-story">
        {read !== undefined && read.plate !== null && !isNewer && <Plate text={read.formatted ?? read.plate} />}
        <p class="hero-place">
          {greeting} · <Name text={gate?.name ?? t("nav.gate")} most={NAME_ROOM} />
          {others > 0 && (
            <>
              {" · "}
              <a href="/gate">{t("gate.further", { n: others })}</a>
            </>
          )}
        </p>
        <div class="hero-state" data-open={gate?.online === true && isOpen(gate)}>
          <PageHeading text={gate === undefined ? t("hero.noGate") : gateLine(gate, openSince)} page={t("nav.home")} />
        </div>
        <p class="hero-sentence">
          {hubAway.value ? (
            t("hero.hubAway")
          ) : isNewer && byHand !== undefined ? (
            openingSentence(byHand, openingWhen(byHand))
          ) : read === undefined ? (
            t("hero.noCar")
          ) : (
            <Told story={storyOf(read)} />
          )}
        </p>
      </div>
      {gate !== undefined && <GateAction gate={gate} waiting={isWaiting ? newest : null} />}
    </Hero>
  );
}

/** How a gate stands, and for how long it has been open. */
export function gateLine(gate: Device, openSince: number | null): string {
  if (isPending(gate.id)) return t("gate.waiting");
  const minutes = openSince === null ? 0 : Math.floor((shownNow() - openSince) / 60_000);
  return minutes < 1 || moveOf(gate) !== null ? stateLine(gate) : t("hero.openFor", { time: duration(minutes * 60) });
}

/** A story; what must not be overlooked stands out. */
function Told({ story: { text, gate, isAlarming } }: { story: Story }) {
  return (
    <>
      {text} {isAlarming ? <strong class="hero-alarm">{gate}</strong> : gate}
    </>
  );
}

/** A car that came within this time is named on the slide; later it may well have gone. */
const STANDS_MS = 120_000;
/** Letters of the gate's name that leave the picture above it room. */
const NAME_ROOM = 32;

/** A dark stage with a picture behind words. */
export function Hero({
  picture,
  note,
  children,
}: {
  picture: ComponentChildren;
  note: string;
  children: ComponentChildren;
}) {
  return (
    <section class={picture === null ? "hero plain" : "hero"} aria-label={t("hero.label")}>
      {picture !== null && <div class="hero-picture">{picture}</div>}
      {note !== "" && <p class="hero-note">{note}</p>}
      <div class="hero-words">{children}</div>
    </section>
  );
}

/** What the gate can do next: slide to open, close, or stop while it moves. */
export function GateAction({
  gate,
  waiting,
  slides = true,
}: {
  gate: Device;
  waiting: GateRead | null;
  /** False: a button that asks first. */
  slides?: boolean;
}) {
  const said = useRef<HTMLParagraphElement>(null);
  const choices = new Map(
    controlsOf(gate).flatMap((control) =>
      control.kind === "button" ? choicesOf(control).map((choice) => [control.name, choice] as const) : [],
    ),
  );
  const [open, close, stop] = [choices.get("open"), choices.get("close"), choices.get("stop")];
  const moves = moveOf(gate) !== null;
  const standsOpen = isOpen(gate);
  const refusal = refusedOpening(gate.id);
  return (
    <div class="hero-action" ref={said}>
      {((moves && gate.online) || (!slides && standsOpen && gate.online)) && stop !== undefined && (
        <Button icon="square" text={stop.text} onClick={() => send(gate, stop)} />
      )}
      {!moves && standsOpen && (slides || gate.online) && close !== undefined && (
        <Button icon="fence" text={close.text} disabled={!gate.online} onClick={() => send(gate, close)} />
      )}
      {!slides && open !== undefined && ((!moves && !standsOpen) || !gate.online) && (
        <Button
          look="primary"
          text={open.text}
          disabled={!gate.online || refusal !== null}
          onClick={() => send(gate, open)}
        />
      )}
      {!moves && !standsOpen && open !== undefined && slides && (
        <SlideToOpen
          text={
            hubAway.value
              ? t("hero.hubIsAway")
              : gate.online && refusal !== null
                ? t("hero.mayNot")
                : gate.online
                  ? t(
                      waiting === null ? "hero.slide" : "hero.slideFor",
                      waiting === null ? {} : { who: whoOf(waiting) },
                    )
                  : stateLine(gate)
          }
          about={gate.name}
          disabled={!gate.online || hubAway.value || refusal !== null}
          onSlid={() => void command(gate.id, { ...open.command }, { ...open.effect })}
          onAsk={() => send(gate, open)}
        />
      )}
      {refusal !== null && !moves && !standsOpen && gate.online && !hubAway.value && (
        <p class="hero-offline" role="status">
          <Icon name="lock" small /> <span>{refusal}</span>
        </p>
      )}
      {!gate.online && slides && !hubAway.value && isAway(gate) && gate.lastSeen !== null && (
        <p class="hero-offline">
          <Icon name="wifiOff" small /> {t("hero.gateOffline")}
        </p>
      )}
    </div>
  );
}

function cameraName({ deviceId }: GateRead): string {
  return devices.value.get(deviceId)?.name ?? deviceId;
}

/** Before a picture has come it has the shape that most cameras give it. */
const USUAL = { width: 1280, height: 720 };

/**
 * The picture of a read on the stage around it: whatever shape both have, the plate is whole, and above the words. With
 * a key, so that the picture before does not stay until the next one is here.
 */
function WholePicture({ read }: { read: GateRead }) {
  const image = useRef<HTMLImageElement>(null);
  const [fit, setFit] = useState<Fit | null>(null);
  const look = (): void => {
    const stage = image.current?.closest<HTMLElement>(".hero-picture");
    if (!image.current || !stage) return;
    const { naturalWidth, naturalHeight } = image.current;
    const picture = naturalWidth > 0 ? { width: naturalWidth, height: naturalHeight } : USUAL;
    const words = stage.parentElement?.querySelector<HTMLElement>(".hero-words");
    const { top, bottom, left, right, width, height } = stage.getBoundingClientRect();
    const over = words?.getBoundingClientRect();
    const isOver = over !== undefined && over.left < right && over.right > left && over.top > top;
    const foot = isOver ? Math.max(0, Math.round(bottom - over.top)) : 0;
    const next = wholePlate(read.box, picture, { width, height }, foot);
    setFit((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
  };
  useLayoutEffect(() => {
    const stage = image.current?.closest(".hero-picture");
    look();
    const observer = new ResizeObserver(look);
    if (stage) observer.observe(stage);
    return () => observer.disconnect();
  }, [read.id, read.box]);
  return (
    <img
      ref={image}
      {...pictureOf(read)}
      alt={t("read.imageAlt", { camera: cameraName(read) })}
      {...(fit === null ? {} : { style: { ...fit } })}
      width={USUAL.width}
      height={USUAL.height}
      fetchpriority="high"
      onLoad={look}
    />
  );
}
