/**
 * A power cut while somebody is asked at the gate: the hub as it is shipped, killed, with a camera's real pictures, a gate
 * over MQTT and a person's session.
 */
import t from "tap";
import { OWNER, Person, startHubProcess } from "../support/hub-process.ts";
import { photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";
import { gatePremises } from "./gate-premises.ts";

t.setTimeout(180_000);

t.test("a power cut between the read and the answer means shut", { skip: withoutModels }, async (t) => {
  const [car] = await photographs();
  const folder = testFolder(t);
  const p = await gatePremises(folder);
  await p.person.call("POST", "/v1/plate-rules", { plate: car.plate, label: "Asha", earns: "ask" });
  const [camera] = [await p.connect("camera-1"), await p.listen()];
  const read = await p.capture(camera, [car.jpeg], { direction: "in" });
  type Questions = { readonly questions: readonly { readonly id: string; readonly readId: number }[] };
  const { body } = await p.person.call<Questions>("GET", "/v1/gate-questions");
  t.match(body.questions, [{ readId: read.id }]);
  await p.hub.kill();

  const hub = await startHubProcess(folder);
  t.teardown(() => hub.stop());
  const person = new Person(hub.url);
  await person.call("POST", "/api/session", { email: OWNER.email, password: OWNER.password });
  t.same((await person.call<Questions>("GET", "/v1/gate-questions")).body, { questions: [] });
  const answer = `/v1/gate-questions/${body.questions[0]?.id}/answer`;
  t.equal((await person.call("POST", answer, { open: true })).status, 404, "the tap on an old message opens nothing");
  t.match((await person.call("GET", `/api/plates/${read.id}`)).body, {
    plate: { decision: "allow", gate: { result: "not_told", reason: "interrupted" } },
  });
  const { events } = (await person.call<{ events: { kind: string; body: string }[] }>("GET", "/v1/events?limit=20"))
    .body;
  t.match(
    events.find(({ kind }) => kind === "gate.kept_shut"),
    { body: "The hub stopped before an answer was recorded." },
  );
  t.same(p.commands, []);
});
