import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import type { Audited, AuditNote } from "../../access/routes/console-audit.ts";
import {
  closeMatterWindow,
  getMatter,
  openMatterWindow,
  removeMatterFabric,
  setMatterPin,
  showToMatter,
  switchMatter,
  takeOverMatter,
} from "../api/console-matter.ts";
import type { MatterBridge } from "../bridge/bridge.ts";
import { MOST_ENDPOINTS } from "../bridge/calls.ts";
import type { HostState } from "../host.ts";

/** What the page of Matter works with. */
interface Uses {
  readonly bridge: Pick<
    MatterBridge,
    "showables" | "pinAsked" | "fabrics" | "situation" | "show" | "setPin" | "window" | "removeFabric"
  >;
  readonly process: () => HostState;
  readonly enabled: () => boolean;
  /** Whether the setting can be changed here. */
  readonly changeable: () => boolean;
  /** @throws Problem `conflict` where the environment holds the setting */
  readonly switchTo: (enabled: boolean) => Promise<void>;
  /** IPv6 addresses of this box that Matter is reached at. */
  readonly addresses: () => readonly string[];
  /** Whether its keys came with a backup and have not been taken over. */
  readonly restored: () => boolean;
  /** Takes these keys over and starts. */
  readonly takeOver: () => Promise<void>;
  readonly note: AuditNote;
  readonly audited: Audited;
}

/** Matter: the switch, joining and joined homes, what they see. */
export function matterRoutes(service: Uses): BoundRoute[] {
  const { bridge, note, audited } = service;
  const shown = () => ({ status: 200 as const, body: { matter: view(service) } });
  return [
    bind(getMatter, shown),
    bind(switchMatter, async ({ caller, body }) => {
      await service.switchTo(body.enabled);
      await note(caller, body.enabled ? "matter.enabled" : "matter.disabled", "Matter");
      return shown();
    }),
    bind(takeOverMatter, async ({ caller }) => {
      await service.takeOver();
      await note(caller, "matter.taken_over", "Matter");
      return shown();
    }),
    bind(openMatterWindow, async ({ caller, body }) => {
      await note(caller, "matter.window_opened", "Matter", { minutes: body.minutes });
      await bridge.window(body.minutes);
      return shown();
    }),
    bind(closeMatterWindow, async () => {
      await bridge.window(0);
      return shown();
    }),
    bind(showToMatter, async ({ caller, body }) => {
      const { subject, shown: isShown } = body;
      await bridge.show(subject, isShown, (name) =>
        audited.line(caller)(isShown ? "matter.shown" : "matter.hidden", name, { subject }),
      );
      return shown();
    }),
    bind(setMatterPin, async ({ caller, body }) => {
      await bridge.setPin(body.pin, () =>
        audited.line(caller)(body.pin === null ? "matter.pin_removed" : "matter.pin_set", "Matter"),
      );
      return shown();
    }),
    bind(removeMatterFabric, async ({ caller, params }) => {
      const { name } = await bridge.removeFabric(params.id);
      await note(caller, "matter.fabric_removed", name);
      return shown();
    }),
  ];
}

function view(service: Uses) {
  const { bridge } = service;
  const { state, since, rssBytes, restarts, reason } = service.process();
  const situation = bridge.situation;
  const addresses = [...service.addresses()];
  const window = situation?.window ?? null;
  const asked = bridge.pinAsked();
  return {
    enabled: service.enabled(),
    restored: service.restored(),
    changeable: service.changeable(),
    process: {
      state,
      since: isoTime(since),
      megabytes: rssBytes === null ? null : Math.round(rssBytes / 1_048_576),
      restarts,
      reason,
    },
    network: { ipv6: addresses.length > 0, addresses, port: situation?.port ?? null },
    window: window === null ? null : { ...window, until: isoTime(window.until) },
    fabrics: bridge.fabrics().map(({ id, name, joinedAt }) => ({ id, name, joinedAt: isoTime(joinedAt) })),
    pin: asked === null ? ("unset" as const) : asked ? ("set" as const) : ("not_asked" as const),
    shown: bridge.showables().map((one) => ({ ...one, kinds: [...one.kinds] })),
    most: MOST_ENDPOINTS,
  };
}
