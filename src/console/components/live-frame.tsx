import { useEffect, useRef, useState } from "preact/hooks";
import { pictureOf } from "../../features/gate/rules/read-picture.ts";
import { noteSession } from "../api.ts";
import { ago, t } from "../i18n/translate.ts";
import { reads } from "../store.ts";
import { Icon } from "./icon.tsx";

/** Time between two pictures, by default. */
const EVERY_MS = 2_000;
/** The longer interval for a camera without pictures. */
const EVERY_WITHOUT_MS = 10_000;

/** Fetches one picture; null when the camera has none. @throws TypeError when the hub does not answer. */
async function fetchFrame(
  deviceId: string,
  fresh: boolean,
  signal: AbortSignal,
): Promise<{ blob: Blob; at: string | null } | null> {
  const response = await fetch(`/api/cameras/${encodeURIComponent(deviceId)}/frame${fresh ? "?fresh=true" : ""}`, {
    signal,
    cache: "no-store",
  });
  noteSession(response);
  if (response.status !== 200) return null;
  return { blob: await response.blob(), at: response.headers.get("Last-Modified") };
}

/**
 * A camera's current picture, refreshed while somebody can see it: not in a hidden tab, not while it is scrolled away.
 * `fresh`: each picture is requested from the camera; otherwise the hub's latest picture is shown: the one in memory, or
 * after a restart the newest one that is stored, however old.
 */
export function LiveFrame({
  deviceId,
  name,
  fresh,
  everyMs = EVERY_MS,
}: {
  deviceId: string;
  name: string;
  fresh: boolean;
  everyMs?: number;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<{ url: string; at: string | null } | "asking" | null>("asking");
  useEffect(() => {
    let url: string | null = null;
    let shownAt: string | null = null;
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isSeen = false;
    let isAsking = false;
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (isAsking || !isSeen || document.hidden || stop.signal.aborted) return;
      isAsking = true;
      const frame = await fetchFrame(deviceId, fresh, stop.signal).catch(() => null);
      isAsking = false;
      if (stop.signal.aborted) return;
      if (frame !== null && (url === null || frame.at !== shownAt)) {
        const before = url;
        url = URL.createObjectURL(frame.blob);
        shownAt = frame.at;
        setShown({ url, at: frame.at });
        if (before !== null) giveUpSoon(before);
      } else if (url === null) setShown(null);
      timer = setTimeout(() => void look(), frame === null ? Math.max(everyMs, EVERY_WITHOUT_MS) : everyMs);
    };
    const observer = new IntersectionObserver(([entry]) => {
      isSeen = entry?.isIntersecting === true;
      void look();
    });
    if (place.current !== null) observer.observe(place.current);
    const onVisible = (): void => void look();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      stop.abort();
      if (timer !== null) clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("visibilitychange", onVisible);
      if (url !== null) giveUpSoon(url);
    };
  }, [deviceId, fresh]);
  return (
    <div class="live-frame" ref={place}>
      {shown === null || shown === "asking" ? (
        <Stored deviceId={deviceId} name={name} isAsking={shown === "asking"} />
      ) : (
        <>
          <img class="read-image" src={shown.url} alt={t("read.imageAlt", { camera: name })} width="640" height="360" />
          {shown.at !== null && <span class="frame-time">{ago(new Date(shown.at).toISOString())}</span>}
        </>
      )}
    </div>
  );
}

/** In place of a frame that is not here: the picture of the camera's last car, or that there is none. */
function Stored({ deviceId, name, isAsking }: { deviceId: string; name: string; isAsking: boolean }) {
  const read = reads.value.find((one) => one.hasImage && one.deviceId === deviceId);
  if (read === undefined)
    return (
      <div class="read-image none">
        <Icon name="camera" />
        {!isAsking && <span class="small">{t("camera.noPicture")}</span>}
      </div>
    );
  return (
    <>
      <img
        key={pictureOf(read).src}
        class="read-image"
        {...pictureOf(read)}
        alt={t("read.imageAlt", { camera: name })}
        width="640"
        height="360"
      />
      <span class="frame-time">{ago(read.at)}</span>
    </>
  );
}

/** Frees a picture's memory, after a while: the page may still be loading or drawing it. */
function giveUpSoon(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), 5_000);
}
