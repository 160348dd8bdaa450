/** What Home Assistant may move of a device that a camera of the household opens. */
import t from "tap";
import { capabilitiesOf } from "../../src/features/devices/rules/device-types.ts";
import { entitiesOf } from "../../src/features/home-assistant/entities.ts";

const entities = (type: string, opensForPlates: boolean, mayOpen: boolean) => {
  const values = { power: false, power2: false };
  const made = { type, state: values, metrics: [], commandSchema: null, opensForPlates };
  const capabilities = capabilitiesOf(made);
  const known = {
    id: "relay",
    name: "Relay",
    room: null,
    model: null,
    manufacturer: null,
    firmware: null,
    online: true,
  };
  return entitiesOf({ ...known, ...made, capabilities, values, events: {} }, mayOpen);
};
const taken = (...args: Parameters<typeof entities>) =>
  entities(...args).filter(({ takes }) => Object.keys(takes).length > 0);

t.test("a relay that a camera opens is moved from there only once opening is allowed", async (t) => {
  for (const type of ["switch", "smart-plug", "home-hub", "cover", "light", "fan"]) {
    t.same(taken(type, true, false), [], type);
    t.ok(entities(type, true, false).length > 0, `${type} shows its values`);
    t.same(
      taken(type, true, true).map(({ id }) => id),
      taken(type, false, false).map(({ id }) => id),
      `${type} takes its own words`,
    );
    t.ok(taken(type, true, true).length > 0);
  }
});
