/** Settings of the site's broker that the hub joins as a client. */
import { Type } from "typebox";
import { choice, flag, text } from "./builders.ts";

/** Group `outsideBroker`. */
export const outsideBroker = Type.Object(
  {
    url: text({
      default: "",
      pattern: "^$|^(mqtts?|wss?)://[^\\s]{1,300}$",
      env: "GATEHOUSE_OUTSIDE_BROKER_URL",
      description:
        "Address of the broker: mqtt://, mqtts://, ws:// or wss://, without a password in it. Empty: the hub joins none.",
    }),
    clientId: text({
      default: "",
      pattern: "^[A-Za-z0-9_-]{0,64}$",
      env: "GATEHOUSE_OUTSIDE_BROKER_CLIENT_ID",
      description: "The hub's client id there, another one for each hub. Empty: made from the hub's own key.",
    }),
    username: text({
      default: "",
      maxLength: 128,
      env: "GATEHOUSE_OUTSIDE_BROKER_USERNAME",
      description: "User name there.",
    }),
    passwordFile: text({
      default: "",
      env: "GATEHOUSE_OUTSIDE_BROKER_PASSWORD_FILE",
      description: "File with the password, readable for the hub only.",
    }),
    caFile: text({
      default: "",
      env: "GATEHOUSE_OUTSIDE_BROKER_CA",
      description:
        "PEM file of the authority of the broker's certificate, for mqtts:// and wss://. Empty: those of the system.",
    }),
    topicPrefix: text({
      default: "",
      pattern: "^$|^[^+#/\\s]{1,40}(/[^+#/\\s]{1,40}){0,4}$",
      env: "GATEHOUSE_OUTSIDE_BROKER_TOPIC_PREFIX",
      description:
        "Levels in front of every topic there, as site/north. One for each hub; empty where they share all devices.",
    }),
    otherMakes: flag({
      default: true,
      env: "GATEHOUSE_OUTSIDE_BROKER_OTHER_MAKES",
      description: "Take in devices of other makes there too, not only native ones.",
    }),
    protocol: choice(["auto", "5", "3.1.1"], {
      default: "auto",
      env: "GATEHOUSE_OUTSIDE_BROKER_PROTOCOL",
      description: "Version of MQTT spoken with it. auto: 5, and 3.1.1 with a broker that does not know it.",
    }),
    homeAssistant: flag({
      default: false,
      env: "GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT",
      description:
        "Show this home in Home Assistant, by way of that broker: devices, scenes, and how many vehicles are inside.",
      restart: false,
    }),
    homeAssistantGate: flag({
      default: false,
      env: "GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_GATE",
      description:
        "Gates and locks can be opened from Home Assistant, by everybody who can use it and every program that may publish to that broker.",
      restart: false,
    }),
    homeAssistantPlates: flag({
      default: false,
      env: "GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_PLATES",
      description:
        "Tell Home Assistant the number plate of the last vehicle too, not only when one came and what was decided.",
      restart: false,
    }),
    homeAssistantPrefix: text({
      default: "homeassistant",
      pattern: "^[^+#/\\s$][^+#/\\s]{0,39}(/[^+#/\\s]{1,40}){0,4}$",
      env: "GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_PREFIX",
      description:
        "Home Assistant's discovery prefix on that broker, as it stands there: topicPrefix is not put in front of it.",
    }),
  },
  { description: "A broker of the site that the hub joins as a client." },
);
