/**
 * Every command on a firmware's own pages (the address is in `source` of each conversation), row by row: some recorded
 * conversation of its family sends it, with this topic and this payload. The conversations themselves are replayed
 * against the family alone and, over MQTT, against a whole hub.
 */
import t from "tap";
import { conversations, payloadText } from "../support/conversation.ts";

/** What is sent: the end of the topic, and the payload or its form. */
type Row = readonly [what: string, topic: RegExp, payload: string | RegExp];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  tasmota: [
    ["on", /\/cmnd\/POWER1$|^cmnd\/[^/]+\/POWER1$/, "ON"],
    ["off", /POWER1$/, "OFF"],
    ["toggle", /POWER1$/, "TOGGLE"],
    ["in the device's own words", /POWER1$/, "an"],
    ["an output further on", /POWER4$/, "TOGGLE"],
    ["dimmer", /\/Dimmer$/, "40"],
    ["dimmer of a channel", /\/Channel3$/, "55"],
    ["colour", /\/Color2$/, "255,128,0"],
    ["hue and saturation", /\/Backlog$/, "HsbColor1 120; HsbColor2 80"],
    ["colour temperature", /\/CT$/, "250"],
    ["colour temperature, short range", /\/CT$/, "380"],
    ["white", /\/White$/, "60"],
    ["transition", /\/Backlog$/, "Fade2 1; Speed2 8; Dimmer 100"],
    ["no transition", /\/Backlog$/, "Fade2 0; Dimmer 20"],
    ["effect", /\/Scheme$/, "3"],
    ["shutter open", /\/ShutterOpen1$/, ""],
    ["shutter close", /\/ShutterClose2$/, ""],
    ["shutter stop", /\/ShutterStop1$/, ""],
    ["shutter position", /\/ShutterPosition1$/, "30"],
    ["shutter position, inverted", /\/ShutterPosition2$/, "70"],
    ["shutter tilt", /\/ShutterTilt1$/, "30"],
    ["shutter tilt, a word", /\/ShutterTilt1$/, "OPEN"],
    ["fan", /\/FanSpeed$/, "3"],
    ["several at once", /\/Backlog$/, "POWER1 ON; POWER2 OFF; POWER3 ON; POWER4 OFF"],
    ["restart", /\/Restart$/, "1"],
    ["update", /\/Upgrade$/, "1"],
    ["update from a file", /\/Backlog$/, /^OtaUrl http:\S+; Upgrade 1$/],
    ["rate of telemetry", /\/TelePeriod$/, "60"],
    ["question", /\/STATE$/, ""],
    ["question for the sensors", /\/STATUS$/, "10"],
  ],
  openbeken: [
    ["on", /\/1\/set$/, "1"],
    ["off", /\/1\/set$/, "0"],
    ["a number", /\/5\/set$/, "30"],
    ["question", /\/1\/get$/, ""],
    ["lamp", /\/led_enableAll\/set$/, "1"],
    ["lamp's brightness", /\/led_dimmer\/set$/, "40"],
    ["lamp's colour", /\/led_basecolor_rgb\/set$/, "0080FF"],
    ["as Tasmota", /^cmnd\/[^/]+\/POWER$/, "TOGGLE"],
  ],
  shelly1: [
    ["announce, all", /^shellies\/command$/, "announce"],
    ["update, all", /^shellies\/command$/, "update"],
    ["announce, one", /^shellies\/[^/]+\/command$/, "announce"],
    ["update, one", /^shellies\/[^/]+\/command$/, "update"],
    ["relay on", /\/relay\/0\/command$/, "on"],
    ["relay off", /\/relay\/0\/command$/, "off"],
    ["relay toggle", /\/relay\/1\/command$/, "toggle"],
    ["roller open", /\/roller\/0\/command$/, "open"],
    ["roller close", /\/roller\/0\/command$/, "close"],
    ["roller stop", /\/roller\/0\/command$/, "stop"],
    ["roller calibrate", /\/roller\/0\/command$/, "rc"],
    ["roller position", /\/roller\/0\/command\/pos$/, "40"],
    ["lamp", /\/light\/0\/command$/, "off"],
    ["lamp with brightness and temperature", /\/light\/0\/set$/, '{"turn":"on","brightness":50,"temp":3000}'],
    ["colour", /\/color\/0\/set$/, '{"turn":"on","red":255,"green":0,"blue":0,"gain":100}'],
    ["white channel", /\/white\/1\/set$/, '{"turn":"on","brightness":30}'],
    ["thermostat", /\/thermostat\/0\/command\/target_t$/, "22.5"],
  ],
  shelly2: [
    ["who are you", /\/rpc$/, /"method":"Shelly.GetDeviceInfo","params":{"ident":true}/],
    ["status", /\/rpc$/, /"method":"Shelly.GetStatus"/],
    ["configuration", /\/rpc$/, /"method":"Shelly.GetConfig"/],
    ["plain on", /\/command\/switch:0$/, "on"],
    ["plain off", /\/command\/switch:0$/, "off"],
    ["plain toggle", /\/command\/switch:0$/, "toggle"],
    ["status of one output", /\/command\/switch:0$/, "status_update"],
    ["announce", /\/command$/, "announce"],
    ["plain status", /\/command$/, "status_update"],
    ["switch", /\/rpc$/, /"method":"Switch.Set","params":{"id":0,"on":true}/],
    ["switch for a time", /\/rpc$/, /"method":"Switch.Set","params":{"id":0,"on":true,"toggle_after":2}/],
    ["switch toggle", /\/rpc$/, /"method":"Switch.Toggle","params":{"id":0}/],
    ["counters", /\/rpc$/, /"method":"Switch.ResetCounters"/],
    ["cover open", /\/rpc$/, /"method":"Cover.Open","params":{"id":0}/],
    ["cover close", /\/rpc$/, /"method":"Cover.Close","params":{"id":0}/],
    ["cover stop", /\/rpc$/, /"method":"Cover.Stop","params":{"id":0}/],
    ["cover position", /\/rpc$/, /"method":"Cover.GoToPosition","params":{"id":0,"pos":40}/],
    ["lamp", /\/rpc$/, /"method":"Light.Set","params":{"id":0,"on":true,"brightness":40}/],
    ["lamp, slowly", /\/rpc$/, /"method":"Light.Set".*"transition_duration":3/],
    ["colour", /\/rpc$/, /"method":"RGB.Set".*"rgb":\[0,0,255\]/],
    ["colour and white", /\/rpc$/, /"method":"RGBW.Set".*"white":128/],
    ["colour temperature", /\/rpc$/, /"method":"CCT.Set".*"ct":4000/],
    ["records of a meter", /\/rpc$/, /"method":"EMData.GetRecords"/],
    ["data of a meter", /\/rpc$/, /"method":"EMData.GetData"/],
    ["restart", /\/rpc$/, /"method":"Shelly.Reboot"/],
    ["update", /\/rpc$/, /"method":"Shelly.Update"/],
    ["time server", /\/rpc$/, /"method":"Sys.SetConfig".*"sntp"/],
    ["its MQTT", /\/rpc$/, /"method":"Mqtt.SetConfig".*"status_ntf":true/],
  ],
  esphome: [
    ["who is there", /^esphome\/discover$/, /./],
    ["switch on", /\/switch\/[^/]+\/command$/, "ON"],
    ["switch off", /\/switch\/[^/]+\/command$/, "OFF"],
    ["switch toggle", /\/switch\/[^/]+\/command$/, "TOGGLE"],
    ["lamp", /\/light\/[^/]+\/command$/, '{"state":"ON","brightness":102}'],
    [
      "lamp's colour and transition",
      /\/light\/[^/]+\/command$/,
      '{"state":"ON","transition":1.5,"color":{"r":0,"g":255,"b":0}}',
    ],
    ["lamp's effect", /\/light\/[^/]+\/command$/, '{"state":"ON","effect":"None"}'],
    ["cover open", /\/cover\/[^/]+\/command$/, "OPEN"],
    ["cover close", /\/cover\/[^/]+\/command$/, "CLOSE"],
    ["cover stop", /\/cover\/[^/]+\/command$/, "STOP"],
    ["cover position", /\/cover\/[^/]+\/position\/command$/, "40"],
    ["cover tilt", /\/cover\/[^/]+\/tilt\/command$/, "20"],
    ["lock", /\/lock\/[^/]+\/command$/, "LOCK"],
    ["unlock", /\/lock\/[^/]+\/command$/, "UNLOCK"],
    ["lock open", /\/lock\/[^/]+\/command$/, "OPEN"],
    ["button", /\/button\/[^/]+\/command$/, "PRESS"],
    ["number", /\/number\/[^/]+\/command$/, "30"],
    ["select", /\/select\/[^/]+\/command$/, "night"],
    ["fan", /\/fan\/[^/]+\/command$/, "OFF"],
    ["fan's speed", /\/speed_level\/command$/, "2"],
    ["fan's oscillation", /\/oscillation\/command$/, "oscillate_on"],
    ["fan's direction", /\/direction\/command$/, "reverse"],
    ["climate's mode", /\/climate\/[^/]+\/mode\/command$/, "heat"],
    ["climate's target", /\/climate\/[^/]+\/target_temperature\/command$/, "21.5"],
    ["climate's fan", /\/climate\/[^/]+\/fan_mode\/command$/, "high"],
    ["climate's swing", /\/climate\/[^/]+\/swing_mode\/command$/, "both"],
    ["climate's preset", /\/climate\/[^/]+\/preset\/command$/, "away"],
  ],
  // The topics are those named in the announcements.
  homeassistant: [
    ["switch", /\/pump\/set$/, "1"],
    ["lamp of topics", /^b\/bri\/set$/, "40"],
    ["lamp's colour", /^b\/rgb\/set$/, "#00ff80"],
    ["lamp's temperature", /^b\/ct\/set$/, "250"],
    ["lamp's effect", /^b\/fx\/set$/, "rainbow"],
    ["lamp of JSON", /^j\/set$/, '{"state":"ON","transition":2,"brightness":102}'],
    ["lamp of templates", /^t\/set$/, "on,128,255-0-0"],
    ["cover open", /^s\/set$/, "OPEN"],
    ["cover close", /^s\/set$/, "CLOSE"],
    ["cover stop", /^s\/set$/, "STOP"],
    ["cover position by a template", /^s\/pos\/set$/, '{"position":150}'],
    ["cover tilt", /^s\/tilt\/set$/, "40"],
    ["valve", /^v\/set$/, "60"],
    ["lock", /^k\/set$/, '{"action":"LOCK","code":""}'],
    ["unlock", /^k\/set$/, '{"action":"UNLOCK","code":"1234"}'],
    ["alarm panel", /^a\/set$/, '{"do":"ARM_AWAY","code":""}'],
    ["alarm panel off", /^a\/set$/, '{"do":"DISARM","code":"1234"}'],
    ["climate's mode", /^h\/mode\/set$/, "cool"],
    ["climate's target in its own unit", /^h\/temp\/set$/, "70.7"],
    ["climate's preset", /^h\/preset\/set$/, "eco"],
    ["climate's fan", /^h\/fan\/set$/, "high"],
    ["climate's swing", /^h\/swing\/set$/, "on"],
    ["water heater", /^w\/t\/set$/, "55"],
    ["humidifier", /^u\/hum\/set$/, "45"],
    ["fan's speed", /^f\/pct\/set$/, "3"],
    ["fan's oscillation", /^f\/osc\/set$/, "oscillate_off"],
    ["fan's direction", /^f\/dir\/set$/, "forward"],
    ["fan's preset", /^f\/pr\/set$/, "whoosh"],
    ["number", /^x\/interval\/set$/, "30"],
    ["select", /^x\/program\/set$/, '{"program":"full"}'],
    ["text", /^x\/label\/set$/, "hello"],
    ["button", /^x\/restart$/, "PRESS"],
    ["scene", /^x\/scene$/, "movie"],
    ["notify", /^x\/say$/, "Dinner is ready"],
    ["update", /^x\/fw\/set$/, "install"],
    ["siren", /^n\/set$/, '{"state":"ON","tone":"ping","duration":10,"volume_level":0.5}'],
    ["vacuum", /^o\/set$/, "start"],
    ["lawn mower", /^m\/dock$/, "dock"],
  ],
  zigbee2mqtt: [
    ["on", /\/set$/, '{"state":"ON"}'],
    ["toggle", /\/set$/, '{"state":"TOGGLE"}'],
    ["brightness and transition", /\/set$/, '{"brightness":254,"transition":2}'],
    ["question", /\/get$/, /^{"state":""/],
    ["let devices join", /\/bridge\/request\/permit_join$/, '{"time":254}'],
    ["health", /\/bridge\/request\/health_check$/, ""],
    ["restart", /\/bridge\/request\/restart$/, ""],
    ["rename", /\/bridge\/request\/device\/rename$/, /^{"from":"my_plug","to":"plug"/],
    ["remove", /\/bridge\/request\/device\/remove$/, /^{"id":"button"/],
    ["any other request", /\/bridge\/request\/device\/interview$/, '{"id":"button"}'],
  ],
  openmqttgateway: [
    ["relay on", /\/commands\/MQTTtoONOFF$/, '{"gpio":15,"cmd":1}'],
    ["relay off", /\/commands\/MQTTtoONOFF$/, '{"gpio":15,"cmd":0}'],
    ["pulse", /\/commands\/MQTTtoONOFF$/, '{"gpio":15,"cmd":"high_pulse","pulse_length":25}'],
    ["radio", /\/commands\/MQTTto433$/, '{"value":1315156,"protocol":1,"length":24,"delay":317}'],
    ["infrared", /\/commands\/MQTTtoIR$/, /"protocol_name":"NEC"/],
    ["Pilight", /\/commands\/MQTTtoPilight$/, /"protocol":"mumbi"/],
    ["status", /\/commands\/MQTTtoSYS\/config$/, '{"cmd":"status"}'],
    ["restart", /\/commands\/MQTTtoSYS\/config$/, '{"cmd":"restart"}'],
    ["its configuration", /\/commands\/MQTTtoSYS\/config$/, '{"disc":true,"save":true}'],
    ["Bluetooth's configuration", /\/commands\/MQTTtoBT\/config$/, '{"interval":1000}'],
  ],
  frigate: [
    ["what is there", /^frigate\/onConnect$/, ""],
    ["camera", /\/enabled\/set$/, "OFF"],
    ["detection", /\/detect\/set$/, "ON"],
    ["recordings", /\/recordings\/set$/, "ON"],
    ["snapshots", /\/snapshots\/set$/, "OFF"],
    ["motion", /\/motion\/set$/, "ON"],
    ["audio", /\/audio\/set$/, "ON"],
    ["notifications", /^frigate\/notifications\/set$/, "OFF"],
    ["turn to a preset", /\/ptz$/, "preset_1"],
    ["turn", /\/ptz$/, "MOVE_LEFT"],
    ["zoom", /\/ptz$/, "ZOOM_IN"],
    ["stop", /\/ptz$/, "STOP"],
  ],
};

/** Everything that the conversations of a family expect it to send. */
function sent(family: string): { readonly topic: string; readonly payload: string }[] {
  return conversations(family).flatMap(({ steps }) =>
    steps.flatMap((step) => {
      const messages = [
        ...("publish" in step ? step.publish : []),
        ...("effects" in step ? (step.effects ?? []) : []).flatMap((effect) =>
          effect.do === "publish" ? [effect.message as { topic: string; payload: unknown }] : [],
        ), // a publish effect has a message
      ];
      return messages.map(({ topic, payload }) => ({ topic, payload: payloadText(payload) }));
    }),
  );
}

for (const [family, rows] of Object.entries(TABLES)) {
  t.test(`${family}: every command of its documentation is sent by a recorded conversation`, async (t) => {
    const messages = sent(family);
    for (const [what, topic, payload] of rows) {
      const found = messages.some(
        (message) =>
          topic.test(message.topic) &&
          (typeof payload === "string" ? message.payload === payload : payload.test(message.payload)),
      );
      t.ok(found, `${what}: ${topic.source} ${String(payload)}`);
    }
  });
}
