import t from "tap";
import { HIDDEN, withoutSecrets } from "../../src/core/http/hidden-secrets.ts";

t.test("values whose name suggests a secret are hidden, and nothing else", async (t) => {
  const cases: [topic: string, text: string, shown: string][] = [
    ["a/state", '{"power":true,"watts":3.5}', '{"power":true,"watts":3.5}'],
    ["a/config", '{"ssid":"Home","Password":"x\\"y","n":1}', `{"ssid":"Home","Password":"${HIDDEN}","n":1}`],
    ["a/config", '{"wifi":{"psk":"abc","token" : 12345}}', `{"wifi":{"psk":"${HIDDEN}","token":"${HIDDEN}"}}`],
    ["a/config", '{"secret":"cut of', `{"secret":"${HIDDEN}"`],
    ["a/lock", '{"action":"unlock","code":"1234","pin":9}', `{"action":"unlock","code":"${HIDDEN}","pin":"${HIDDEN}"}`],
    ["a/lock", '{"errorcode":7,"spinning":true}', '{"errorcode":7,"spinning":true}'],
    ["a/config", '{"credentials":{"user":"x","value":"y"},"n":1}', `{"credentials":"${HIDDEN}","n":1}`],
    ["a/config", '{"n":1,"credentials":{"user":"x","value":"y', `{"n":1,"credentials":"${HIDDEN}"`],
    [
      "a/config",
      JSON.stringify({ sent: JSON.stringify({ ssid: "Home", password: "x", pin: 12 }) }),
      `{"sent":"{\\"ssid\\":\\"Home\\",\\"password\\":\\"${HIDDEN}\\",\\"pin\\":\\"${HIDDEN}}"}`,
    ],
    ["a/config", '{ "n" : 1.0 }', '{ "n" : 1.0 }'],
    ["a/status", "host=10.0.0.1 mqtt_password=geheim", `host=10.0.0.1 mqtt_password=${HIDDEN}`],
    ["a/url", '"rtsp://admin:geheim@10.0.0.9/live"', `"rtsp://${HIDDEN}@10.0.0.9/live"`],
    ["shelly/wifi_password", "geheim", HIDDEN],
  ];
  for (const [topic, text, shown] of cases) t.equal(withoutSecrets(topic, text), shown, text);
});

t.test("a text made to be expensive costs little", async (t) => {
  const begun = performance.now();
  for (const part of ['"', '"a', '"pass":', '"pass":"\\', "a=", "://a:", "[{", "a".repeat(64)])
    withoutSecrets("a/b", part.repeat(1_024).slice(0, 1_024));
  t.ok(performance.now() - begun < 250, `${performance.now() - begun} ms`);
});
