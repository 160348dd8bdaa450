/** One address of a preset; placeholders in `url`: `{host}`, `{user}`, `{password}`, `{channel}` (1, 2 …), `{name}`. */
export interface PresetAddress {
  readonly kind: "snapshot" | "rtsp";
  /** The full picture, the small one that is enough for motion, or a single JPEG. */
  readonly label: "main" | "small" | "picture";
  readonly url: string;
}

/** Picture addresses of one maker's cameras, or of a recorder or restreamer. */
export interface CameraPreset {
  readonly id: string;
  readonly maker: string;
  /** The usual user name; null where there is none. */
  readonly user: string | null;
  /** What has to be switched on first; null for nothing. */
  readonly note: string | null;
  readonly addresses: readonly PresetAddress[];
}

const SIGNED_IN = "{user}:{password}@{host}";

function stream(label: "main" | "small", path: string): PresetAddress {
  return { kind: "rtsp", label, url: `rtsp://${SIGNED_IN}:554${path}` };
}

function picture(path: string, host: string = SIGNED_IN): PresetAddress {
  return { kind: "snapshot", label: "picture", url: `http://${host}${path}` };
}

/** Dahua's addresses, which its other brands share. */
const DAHUA = [
  stream("main", "/cam/realmonitor?channel={channel}&subtype=0"),
  stream("small", "/cam/realmonitor?channel={channel}&subtype=1"),
  picture("/cgi-bin/snapshot.cgi?channel={channel}"),
] as const;

/** By maker's name: addresses that the makers' firmware has answered for years. */
export const CAMERA_PRESETS: readonly CameraPreset[] = [
  {
    id: "axis",
    maker: "Axis",
    user: "root",
    note: null,
    addresses: [
      stream("main", "/axis-media/media.amp?videocodec=h264"),
      stream("small", "/axis-media/media.amp?videocodec=h264&resolution=640x360"),
      picture("/axis-cgi/jpg/image.cgi"),
    ],
  },
  { id: "cp-plus", maker: "CP Plus", user: "admin", note: null, addresses: DAHUA },
  { id: "dahua", maker: "Dahua", user: "admin", note: null, addresses: DAHUA },
  {
    id: "ezviz",
    maker: "Ezviz",
    user: "admin",
    note: "The password is the verification code on the camera's label. Switch on LAN live view (RTSP) in the maker's app.",
    addresses: [stream("main", "/h264/ch{channel}/main/av_stream"), stream("small", "/h264/ch{channel}/sub/av_stream")],
  },
  {
    id: "frigate",
    maker: "Frigate",
    user: null,
    note: "The name is the camera's in Frigate's configuration. Frigate's plain port 5000 must be reachable from here.",
    addresses: [
      { kind: "rtsp", label: "main", url: "rtsp://{host}:8554/{name}" },
      picture("/api/{name}/latest.jpg", "{host}:5000"),
    ],
  },
  {
    id: "go2rtc",
    maker: "go2rtc",
    user: null,
    note: "The name is the stream's in go2rtc's configuration.",
    addresses: [
      { kind: "rtsp", label: "main", url: "rtsp://{host}:8554/{name}" },
      picture("/api/frame.jpeg?src={name}", "{host}:1984"),
    ],
  },
  {
    id: "hikvision",
    maker: "Hikvision",
    user: "admin",
    note: "For ONVIF, switch it on under Network, Integration Protocol, and make a user for it there.",
    addresses: [
      stream("main", "/Streaming/Channels/{channel}01"),
      stream("small", "/Streaming/Channels/{channel}02"),
      picture("/ISAPI/Streaming/channels/{channel}01/picture"),
    ],
  },
  {
    id: "reolink",
    maker: "Reolink",
    user: "admin",
    note: "Switch on RTSP and HTTP under Network, Advanced, Port Settings. Battery cameras have neither.",
    addresses: [
      stream("main", "/h264Preview_0{channel}_main"),
      stream("small", "/h264Preview_0{channel}_sub"),
      picture("/cgi-bin/api.cgi?cmd=Snap&channel=0&rs=gatehouse&user={user}&password={password}", "{host}"),
    ],
  },
  {
    id: "tapo",
    maker: "TP-Link Tapo",
    user: null,
    note: "Make a camera account in the Tapo app (Advanced Settings): it is not the account of the app.",
    addresses: [stream("main", "/stream1"), stream("small", "/stream2")],
  },
  {
    id: "uniview",
    maker: "Uniview",
    user: "admin",
    note: null,
    addresses: [stream("main", "/unicast/c{channel}/s0/live"), stream("small", "/unicast/c{channel}/s1/live")],
  },
  {
    id: "vigi",
    maker: "TP-Link VIGI",
    user: "admin",
    note: null,
    addresses: [stream("main", "/stream1"), stream("small", "/stream2")],
  },
];

/** Values for a preset's placeholders. */
export interface PresetValues {
  readonly host: string;
  readonly user?: string;
  readonly password?: string;
  readonly channel?: number;
  readonly name?: string;
}

/** The address for one camera; values are percent-encoded, and a sign-in without a user is left out. */
export function filledAddress(address: PresetAddress, values: PresetValues): string {
  const { host, user = "", password = "", channel = 1, name = "" } = values;
  const url = user === "" ? address.url.replace("{user}:{password}@", "") : address.url;
  const places: Readonly<Record<string, string>> = {
    host,
    user: encode(user),
    password: encode(password),
    channel: String(channel),
    name: encode(name),
  };
  return url.replaceAll(/\{(\w+)\}/g, (whole, place: string) => places[place] ?? whole);
}

/** Like encodeURIComponent, and also encodes what that leaves: some firmware takes these for the end of a sign-in. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
