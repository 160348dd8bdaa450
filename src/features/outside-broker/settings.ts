import { choice, flag, group, text } from "../../core/settings/builders.ts";

export const outsideBroker = group(
  {
    name: { en: "Other MQTT broker", hi: "दूसरा MQTT ब्रोकर" },
    part: "network",
    at: 5,
  },
  {
    url: text({
      default: "",
      pattern: "^$|^(mqtts?|wss?)://[^\\s]{1,300}$",
      env: "GATEHOUSE_OUTSIDE_BROKER_URL",
      name: { en: "Address of the other broker", hi: "दूसरे ब्रोकर का पता" },
      words: { en: "mosquitto bridge home assistant broker", hi: "ब्रोकर" },
      help: {
        en: "Address of the broker: mqtt://, mqtts://, ws:// or wss://, without a password in it. Empty: the hub joins none.",
        hi: "ब्रोकर का पता: mqtt://, mqtts://, ws:// या wss://, बिना पासवर्ड। ख़ाली: हब किसी से नहीं जुड़ता।",
      },
    }),
    clientId: text({
      default: "",
      pattern: "^[A-Za-z0-9_-]{0,64}$",
      env: "GATEHOUSE_OUTSIDE_BROKER_CLIENT_ID",
      name: { en: "Client id there", hi: "वहाँ की क्लाइंट आईडी" },
      help: {
        en: "The hub's client id there, another one for each hub. Empty: made from the hub's own key.",
        hi: "वहाँ हब की क्लाइंट आईडी, हर हब की अलग। ख़ाली: हब की अपनी कुंजी से बनती है।",
      },
    }),
    username: text({
      default: "",
      maxLength: 128,
      env: "GATEHOUSE_OUTSIDE_BROKER_USERNAME",
      name: { en: "User name there", hi: "वहाँ का उपयोगकर्ता नाम" },
      help: { en: "User name there.", hi: "वहाँ उपयोगकर्ता नाम।" },
    }),
    passwordFile: text({
      default: "",
      env: "GATEHOUSE_OUTSIDE_BROKER_PASSWORD_FILE",
      name: { en: "File with the password", hi: "पासवर्ड की फ़ाइल" },
      help: { en: "File with the password, readable for the hub only.", hi: "पासवर्ड वाली फ़ाइल, जिसे केवल हब पढ़ सके।" },
    }),
    caFile: text({
      default: "",
      env: "GATEHOUSE_OUTSIDE_BROKER_CA",
      name: { en: "File of its certificate authority", hi: "उसके प्रमाणपत्र प्राधिकरण की फ़ाइल" },
      help: {
        en: "PEM file of the authority of the broker's certificate, for mqtts:// and wss://. Empty: those of the system.",
        hi: "ब्रोकर के प्रमाणपत्र के प्राधिकरण की PEM फ़ाइल, mqtts:// और wss:// के लिए। ख़ाली: सिस्टम के प्राधिकरण।",
      },
    }),
    topicPrefix: text({
      default: "",
      pattern: "^$|^[^+#/\\s]{1,40}(/[^+#/\\s]{1,40}){0,4}$",
      env: "GATEHOUSE_OUTSIDE_BROKER_TOPIC_PREFIX",
      name: { en: "In front of every topic", hi: "हर विषय के आगे" },
      help: {
        en: "Levels in front of every topic there, such as site/north. One for each hub; empty where they share all devices.",
        hi: "वहाँ हर विषय के आगे के स्तर, जैसे site/north। हर हब का अपना; ख़ाली जहाँ सब डिवाइस साझा हैं।",
      },
    }),
    otherMakes: flag({
      default: true,
      env: "GATEHOUSE_OUTSIDE_BROKER_OTHER_MAKES",
      name: { en: "Devices of other makes there too", hi: "वहाँ दूसरी कंपनियों के डिवाइस भी" },
      help: {
        en: "Accept devices of other makes there too, not only native ones.",
        hi: "वहाँ दूसरी कंपनियों के डिवाइस भी लें, केवल अपने नहीं।",
      },
    }),
    protocol: choice(["auto", "5", "3.1.1"], {
      default: "auto",
      env: "GATEHOUSE_OUTSIDE_BROKER_PROTOCOL",
      name: { en: "Version of MQTT", hi: "MQTT का संस्करण" },
      help: {
        en: "Version of MQTT spoken with it. auto: 5, and 3.1.1 with a broker that does not know it.",
        hi: "उसके साथ बोला जाने वाला MQTT संस्करण। auto: 5, और जो ब्रोकर उसे नहीं जानता, उसके साथ 3.1.1।",
      },
      choices: { auto: { en: "Chosen by the hub", hi: "हब चुनता है" } },
    }),
    homeAssistant: flag({
      default: false,
      env: "GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT",
      common: true,
      name: { en: "Show this home in Home Assistant", hi: "यह घर Home Assistant में दिखाएँ" },
      words: { en: "hass ha discovery", hi: "होम असिस्टेंट" },
      help: {
        en: "Show this home in Home Assistant, through that broker: devices, scenes, and how many vehicles are inside.",
        hi: "इसी ब्रोकर के रास्ते यह घर Home Assistant में दिखाएँ: डिवाइस, दृश्य और कितनी गाड़ियाँ अंदर हैं।",
      },
      restart: false,
    }),
    homeAssistantGate: flag({
      default: false,
      env: "GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_GATE",
      name: {
        en: "Open and disarm from Home Assistant",
        hi: "Home Assistant से खोलना और अलार्म बंद करना",
      },
      help: {
        en: "Gates and locks can be opened and alarms disarmed from Home Assistant, by everybody who can use it and every program that may publish to that broker.",
        hi: "Home Assistant से गेट और ताले खोले और अलार्म बंद किए जा सकते हैं: हर वह व्यक्ति कर सकता है जो उसे चलाता है, और हर वह प्रोग्राम जो उस ब्रोकर पर लिख सकता है।",
      },
      restart: false,
    }),
    homeAssistantPlates: flag({
      default: false,
      env: "GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_PLATES",
      name: { en: "Tell Home Assistant number plates", hi: "Home Assistant को नंबर प्लेट बताएँ" },
      help: {
        en: "Tell Home Assistant the number plate of the last vehicle too, not only when one came and what was decided.",
        hi: "Home Assistant को पिछली गाड़ी की नंबर प्लेट भी बताएँ, केवल यह नहीं कि गाड़ी कब आई और क्या फ़ैसला हुआ।",
      },
      restart: false,
    }),
    homeAssistantPrefix: text({
      default: "homeassistant",
      pattern: "^[^+#/\\s$][^+#/\\s]{0,39}(/[^+#/\\s]{1,40}){0,4}$",
      env: "GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_PREFIX",
      name: { en: "Home Assistant's discovery prefix", hi: "Home Assistant का खोज उपसर्ग" },
      help: {
        en: "Home Assistant's discovery prefix on that broker, exactly as set there: topicPrefix is not put in front of it.",
        hi: "उस ब्रोकर पर Home Assistant का खोज उपसर्ग, जैसा वहाँ लिखा है: topicPrefix उसके आगे नहीं लगता।",
      },
    }),
  },
);
