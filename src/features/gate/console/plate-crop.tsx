import { useState } from "preact/hooks";
import { Icon } from "../../../console/components/icon.tsx";
import type { GateRead } from "../../../console/store.ts";
import { picturesOf } from "../rules/read-picture.ts";
import "./plate-crop.css";

/** The plate cut out of its picture; its text where there is no picture of it. */
export function PlateCrop({ read }: { read: GateRead }) {
  return <Crop key={picturesOf(read).plate} read={read} />; // the picture of the read before does not stay until this one is here
}

function Crop({ read }: { read: GateRead }) {
  const [isLost, setLost] = useState(false);
  if (read.box === null || isLost)
    return (
      <span class={read.plate === null ? "crop none" : "crop text"} aria-hidden="true">
        {read.formatted ?? <Icon name="camera" small />}
      </span>
    );
  return (
    <img
      class="crop"
      src={picturesOf(read).plate}
      alt=""
      width="116"
      height="40"
      loading="lazy"
      decoding="async"
      onError={() => setLost(true)}
    />
  );
}
