import { flag, group, text, whole } from "../../core/settings/builders.ts";

export const mqtt = group(
  {
    name: { en: "MQTT broker", hi: "MQTT ब्रोकर" },
    part: "network",
    at: 3,
  },
  {
    plain: flag({
      default: true,
      env: "GATEHOUSE_MQTT_PLAIN",
      name: { en: "Devices without encryption", hi: "बिना एन्क्रिप्शन के डिवाइस" },
      words: { en: "encryption insecure broker tls", hi: "असुरक्षित" },
      help: {
        en: "Accept MQTT without encryption. Off needs TLS: then only the port of MQTT over TLS is open, and devices need the hub's certificate (/ca-devices.crt).",
        hi: "बिना एन्क्रिप्शन के MQTT लें। बंद करने के लिए TLS चाहिए: तब सिर्फ़ TLS वाले MQTT का पोर्ट खुला है, और डिवाइसों को हब का प्रमाणपत्र चाहिए (/ca-devices.crt)।",
      },
    }),
    port: whole({
      default: 1883,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_MQTT_PORT",
      name: { en: "Port for devices", hi: "डिवाइस का पोर्ट" },
      words: { en: "broker mosquitto 1883 device password", hi: "ब्रोकर" },
      help: {
        en: "Port of the MQTT broker; 0 takes any free one and prints it.",
        hi: "MQTT ब्रोकर का पोर्ट; 0 कोई भी ख़ाली पोर्ट लेकर दिखाता है।",
      },
    }),
    webSocket: flag({
      default: false,
      env: "GATEHOUSE_MQTT_WEBSOCKET",
      name: { en: "MQTT over WebSocket", hi: "WebSocket पर MQTT" },
      help: {
        en: "Also accept MQTT over WebSocket at /mqtt on the web server's port.",
        hi: "वेब सर्वर के पोर्ट पर /mqtt में WebSocket से भी MQTT लें।",
      },
    }),
    topicRoot: text({
      default: "gatehouse",
      pattern: "^[A-Za-z0-9_-]{1,32}$",
      env: "GATEHOUSE_MQTT_TOPIC_ROOT",
      name: { en: "First part of topics", hi: "विषयों का पहला भाग" },
      help: { en: "First level of the topics of native devices.", hi: "हब के अपने डिवाइसों के विषयों का पहला स्तर।" },
    }),
    maxConnections: whole({
      default: 500,
      minimum: 1,
      maximum: 10_000,
      env: "GATEHOUSE_MQTT_MAX_CONNECTIONS",
      name: { en: "Most connected clients", hi: "अधिकतम जुड़े क्लाइंट" },
      help: {
        en: "Most clients connected at a time; there is separate room for as many that have not shown a credential yet.",
        hi: "एक साथ इतने क्लाइंट जुड़े रह सकते हैं; जिन्होंने अभी पहचान नहीं दिखाई, उनके लिए उतनी ही जगह अलग से है।",
      },
    }),
    maxPacketBytes: whole({
      default: 65_536,
      minimum: 4_096,
      maximum: 1_048_576,
      env: "GATEHOUSE_MQTT_MAX_PACKET_BYTES",
      name: { en: "Largest message of a device (bytes)", hi: "डिवाइस का सबसे बड़ा संदेश (बाइट)" },
      help: { en: "Largest packet of a device.", hi: "डिवाइस का सबसे बड़ा पैकेट।" },
    }),
    maxFrameBytes: whole({
      default: 1_048_576,
      minimum: 65_536,
      maximum: 8_388_608,
      env: "GATEHOUSE_MQTT_MAX_FRAME_BYTES",
      name: { en: "Largest picture of a camera (bytes)", hi: "कैमरे की सबसे बड़ी तस्वीर (बाइट)" },
      help: { en: "Largest picture packet of a camera.", hi: "कैमरे की तस्वीर का सबसे बड़ा पैकेट।" },
    }),
    messagesPerSecond: whole({
      default: 50,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_MQTT_MESSAGES_PER_SECOND",
      name: { en: "Messages per second of a device", hi: "एक डिवाइस के प्रति सेकंड संदेश" },
      help: {
        en: "Messages per second of one device; 0 = no limit.",
        hi: "एक डिवाइस के प्रति सेकंड संदेश; 0 = कोई सीमा नहीं।",
      },
    }),
    messageBurst: whole({
      default: 200,
      minimum: 1,
      maximum: 100_000,
      env: "GATEHOUSE_MQTT_MESSAGE_BURST",
      name: { en: "Messages of a device at once", hi: "एक डिवाइस के एक साथ संदेश" },
      help: { en: "Messages that one device may send at once.", hi: "एक डिवाइस एक साथ कितने संदेश भेज सकता है।" },
    }),
    queuedMessages: whole({
      default: 1_000,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_MQTT_QUEUED_MESSAGES",
      name: { en: "Messages kept for a device that is away", hi: "दूर डिवाइस के लिए रखे संदेश" },
      help: {
        en: "Messages kept for one device that is away; the oldest is dropped.",
        hi: "दूर गए एक डिवाइस के लिए रखे संदेश; सबसे पुराना छोड़ा जाता है।",
      },
    }),
    queuedBytes: whole({
      default: 1_048_576,
      minimum: 0,
      maximum: 104_857_600,
      env: "GATEHOUSE_MQTT_QUEUED_BYTES",
      name: { en: "Space for a device that is away (bytes)", hi: "दूर डिवाइस के लिए जगह (बाइट)" },
      help: { en: "Bytes kept for one device that is away.", hi: "दूर गए एक डिवाइस के लिए रखे बाइट।" },
    }),
    sessionExpiryDays: whole({
      default: 7,
      minimum: 1,
      maximum: 365,
      env: "GATEHOUSE_MQTT_SESSION_EXPIRY_DAYS",
      name: { en: "Forget a device's session after (days)", hi: "डिवाइस का सत्र भूलें (दिन बाद)" },
      help: {
        en: "Days after which the session of a device that stays away is forgotten.",
        hi: "इतने दिन दूर रहने पर डिवाइस का सत्र भुला दिया जाता है।",
      },
    }),
  },
);
