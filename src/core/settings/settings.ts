/** Settings of core: where data is kept, how others reach the hub, the log. */
import { choice, flag, group, list, text, whole } from "./builders.ts";

export const storage = group(
  { name: { en: "Storage", hi: "भंडारण" }, part: "kept", at: 4 },
  {
    folder: text({
      default: "./data",
      env: "GATEHOUSE_DATA",
      name: { en: "Data folder", hi: "डेटा फ़ोल्डर" },
      words: { en: "disk path where data kept directory", hi: "डिस्क रास्ता डेटा कहाँ" },
      help: {
        en: "Folder of the database, the pictures and the hub's own key.",
        hi: "डेटाबेस, तस्वीरों और हब की अपनी कुंजी का फ़ोल्डर।",
      },
    }),
    commitIntervalMs: whole({
      default: 20,
      minimum: 1,
      maximum: 1000,
      env: "GATEHOUSE_STORAGE_COMMIT_INTERVAL_MS",
      name: { en: "Time between two writes (ms)", hi: "दो लिखाइयों के बीच का समय (मि.से.)" },
      words: { en: "save write card wear sd", hi: "सहेजना कार्ड घिसाई" },
      help: {
        en: "Least time between two group commits to disk. A longer time wears flash memory less, and answers come later.",
        hi: "डिस्क पर दो सामूहिक लेखनों के बीच न्यूनतम समय। लंबा समय कार्ड को कम घिसता है और जवाब देर से देता है।",
      },
      everyday: true,
    }),
    minFreeMegabytes: whole({
      default: 200,
      minimum: 0,
      maximum: 1_000_000,
      env: "GATEHOUSE_STORAGE_MIN_FREE_MB",
      common: true,
      name: { en: "Warn below this free space (MB)", hi: "इससे कम ख़ाली जगह पर चेतावनी (MB)" },
      words: { en: "disk full space low storage", hi: "डिस्क भरी जगह कम" },
      help: {
        en: "Below this much free space the hub warns of a full disk and deletes the oldest of: data set aside, backups on this disk except the last, pictures, samples.",
        hi: "इससे कम ख़ाली जगह पर हब चेतावनी देता है और सबसे पुरानी चीज़ें हटाता है: अलग रखे डेटा, इस डिस्क के बैकअप (आख़िरी छोड़कर), तस्वीरें।",
      },
      restart: false,
    }),
  },
);

export const http = group(
  {
    name: { en: "Web server", hi: "वेब सर्वर" },
    part: "network",
    at: 2,
  },
  {
    host: text({
      default: "0.0.0.0",
      env: "GATEHOUSE_HOST",
      name: { en: "Listen on this address", hi: "इस पते पर सुनें" },
      words: { en: "listen interface ip bind", hi: "आईपी सुनना" },
      help: {
        en: "Address that the web server and the broker listen on.",
        hi: "वह पता जिस पर वेब सर्वर और ब्रोकर सुनते हैं।",
      },
    }),
    port: whole({
      default: 8080,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_HTTP_PORT",
      name: { en: "Port of the console and the API", hi: "कंसोल और API का पोर्ट" },
      words: { en: "web address browser url", hi: "वेब पता ब्राउज़र" },
      help: {
        en: "Port of the API and the console; 0 takes any free one and prints it.",
        hi: "API और कंसोल का पोर्ट; 0 कोई भी ख़ाली पोर्ट लेकर दिखाता है।",
      },
    }),
    allowedHosts: list({
      default: [],
      item: "^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$",
      env: "GATEHOUSE_ALLOWED_HOSTS",
      name: { en: "Further names of the hub", hi: "हब के और नाम" },
      words: { en: "domain hostname dns name url", hi: "डोमेन नाम पता" },
      help: {
        en: "Further host names by which the hub may be called, separated by commas. Addresses, dotless names, *.local, *.lan, *.home.arpa and *.internal always may.",
        hi: "और नाम जिनसे हब बुलाया जा सकता है, अल्पविराम से अलग। पते, बिना बिंदु वाले नाम, *.local, *.lan, *.home.arpa और *.internal हमेशा मान्य हैं।",
      },
    }),
    maxConnections: whole({
      default: 500,
      minimum: 10,
      maximum: 10_000,
      env: "GATEHOUSE_HTTP_MAX_CONNECTIONS",
      name: { en: "Most open connections", hi: "अधिकतम खुले संपर्क" },
      help: {
        en: "Most open connections of clients with a credential; there is separate room for as many without one. When it is full, the address with most connections loses one.",
        hi: "वेब सर्वर से एक साथ पहचान वाले इतने संपर्क खुले रह सकते हैं; बिना पहचान वालों के लिए उतनी ही जगह अलग से है। जगह भर जाए तो जिस पते से सबसे ज़्यादा संपर्क हैं, उसका एक संपर्क हटता है।",
      },
    }),
    trustProxy: flag({
      default: false,
      env: "GATEHOUSE_HTTP_TRUST_PROXY",
      name: { en: "Behind a reverse proxy", hi: "रिवर्स प्रॉक्सी के पीछे" },
      words: { en: "nginx caddy traefik reverse forwarded", hi: "प्रॉक्सी" },
      help: {
        en: "Take the client's address and scheme from X-Forwarded-For and X-Forwarded-Proto. Only behind a reverse proxy that sets both.",
        hi: "पता और योजना X-Forwarded-For और X-Forwarded-Proto से लें। केवल ऐसे रिवर्स प्रॉक्सी के पीछे जो दोनों भेजता है।",
      },
    }),
  },
);

export const tls = group(
  {
    name: { en: "Encryption (TLS)", hi: "एन्क्रिप्शन (TLS)" },
    part: "safety",
    at: 1,
  },
  {
    mode: choice(["auto", "off", "own", "files"], {
      default: "auto",
      env: "GATEHOUSE_TLS",
      name: { en: "Encryption", hi: "एन्क्रिप्शन" },
      words: { en: "https ssl certificate lock secure padlock", hi: "ताला सुरक्षित प्रमाणपत्र" },
      help: {
        en: "auto: a new hub offers https with certificates of its own authority, and its first page leads there; a hub that began without stays so. off: http only. own: own certificates, and plain http is closed from the start. files: the same with the certificate and key named below.",
        hi: "auto: नया हब अपने प्राधिकरण के प्रमाणपत्रों के साथ https देता है और उसका पहला पेज वहाँ ले जाता है; जो हब बिना इसके शुरू हुआ वह वैसा ही रहता है। off: केवल http। own: अपने प्रमाणपत्र, और सादा http शुरू से बंद। files: वही, नीचे लिखे प्रमाणपत्र और कुंजी के साथ।",
      },
      choices: {
        auto: { en: "Chosen by the hub", hi: "हब चुनता है" },
        files: { en: "With certificate files", hi: "प्रमाणपत्र की फ़ाइलों से" },
        off: { en: "None: http only", hi: "नहीं: केवल http" },
        own: { en: "With the hub's own certificates", hi: "हब के अपने प्रमाणपत्रों से" },
      },
    }),
    plainHttp: choice(["auto", "open", "closed"], {
      default: "auto",
      env: "GATEHOUSE_PLAIN_HTTP",
      common: true,
      name: { en: "Unencrypted http", hi: "बिना एन्क्रिप्शन का http" },
      words: { en: "https plain http insecure lock redirect", hi: "असुरक्षित सादा ताला" },
      help: {
        en: "Where TLS is on: closed answers plain http with the way to https only. auto: closed once the hub was claimed over https; a household from before stays as it was.",
        hi: "जहाँ TLS चालू है: closed सादे http पर सिर्फ़ https का रास्ता बताता है। auto: हब https पर अपनाए जाते ही बंद; पहले से चल रहा घर वैसा ही रहता है।",
      },
      choices: {
        auto: { en: "Chosen by the hub", hi: "हब चुनता है" },
        closed: { en: "Closed", hi: "बंद" },
        open: { en: "Open", hi: "खुला" },
      },
      restart: false,
    }),
    httpsPort: whole({
      default: 8443,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_HTTPS_PORT",
      name: { en: "Port of https", hi: "https का पोर्ट" },
      help: { en: "Port of https when TLS is on.", hi: "TLS चालू होने पर https का पोर्ट।" },
    }),
    mqttsPort: whole({
      default: 8883,
      minimum: 0,
      maximum: 65_535,
      env: "GATEHOUSE_MQTTS_PORT",
      name: { en: "Port for encrypted devices", hi: "एन्क्रिप्टेड डिवाइस का पोर्ट" },
      help: { en: "Port of MQTT over TLS when TLS is on.", hi: "TLS चालू होने पर MQTT का पोर्ट।" },
    }),
    certificateFile: text({
      default: "",
      env: "GATEHOUSE_TLS_CERTIFICATE",
      name: { en: "Certificate file", hi: "प्रमाणपत्र की फ़ाइल" },
      words: { en: "https ssl lets encrypt own pem", hi: "प्रमाणपत्र अपना" },
      help: { en: "PEM file of the certificate chain, for mode files.", hi: "प्रमाणपत्र शृंखला की PEM फ़ाइल, files के लिए।" },
    }),
    keyFile: text({
      default: "",
      env: "GATEHOUSE_TLS_KEY",
      name: { en: "Key file", hi: "कुंजी की फ़ाइल" },
      help: { en: "PEM file of the private key, for mode files.", hi: "निजी कुंजी की PEM फ़ाइल, files के लिए।" },
    }),
  },
);

export const rates = group(
  { name: { en: "Rate limits", hi: "दर सीमाएँ" }, part: "safety", at: 3 },
  {
    requestsPerMinute: whole({
      default: 600,
      minimum: 0,
      maximum: 1_000_000,
      env: "GATEHOUSE_RATE_REQUESTS_PER_MINUTE",
      name: { en: "Requests per minute of a key", hi: "एक कुंजी के प्रति मिनट अनुरोध" },
      help: {
        en: "Requests per minute and API key; 0 = no limit.",
        hi: "प्रति मिनट और API कुंजी अनुरोध; 0 = कोई सीमा नहीं।",
      },
    }),
    requestBurst: whole({
      default: 100,
      minimum: 1,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_REQUEST_BURST",
      name: { en: "Requests of a key at once", hi: "एक कुंजी के एक साथ अनुरोध" },
      help: { en: "Requests that one key may make at once.", hi: "एक कुंजी एक साथ कितने अनुरोध कर सकती है।" },
    }),
    commandsPerMinute: whole({
      default: 120,
      minimum: 0,
      maximum: 1_000_000,
      env: "GATEHOUSE_RATE_COMMANDS_PER_MINUTE",
      name: { en: "Commands per minute of a key", hi: "एक कुंजी के प्रति मिनट आदेश" },
      help: { en: "Commands per minute and API key; 0 = no limit.", hi: "प्रति मिनट और API कुंजी आदेश; 0 = कोई सीमा नहीं।" },
    }),
    commandBurst: whole({
      default: 30,
      minimum: 1,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_COMMAND_BURST",
      name: { en: "Commands of a key at once", hi: "एक कुंजी के एक साथ आदेश" },
      help: { en: "Commands that one key may send at once.", hi: "एक कुंजी एक साथ कितने आदेश भेज सकती है।" },
    }),
    deviceCommandsPer10Seconds: whole({
      default: 20,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS",
      name: { en: "Commands to a device in 10 seconds", hi: "10 सेकंड में एक डिवाइस को आदेश" },
      help: {
        en: "Commands that one sender (a key, a session or a rule) may send to one device in ten seconds; 0 = no limit.",
        hi: "एक भेजने वाला (कुंजी, सत्र या नियम) एक डिवाइस को दस सेकंड में इतने आदेश भेज सकता है; 0 = कोई सीमा नहीं।",
      },
    }),
    scenesPerMinute: whole({
      default: 30,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_SCENES_PER_MINUTE",
      name: { en: "Scenes per minute", hi: "प्रति मिनट दृश्य" },
      help: {
        en: "Scene activations per minute and key; 0 = no limit.",
        hi: "प्रति मिनट और कुंजी दृश्य; 0 = कोई सीमा नहीं।",
      },
    }),
    imagesPerMinute: whole({
      default: 120,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_IMAGES_PER_MINUTE",
      name: { en: "Pictures per minute", hi: "प्रति मिनट तस्वीरें" },
      help: {
        en: "Plate pictures per minute and key; 0 = no limit.",
        hi: "प्रति मिनट और कुंजी प्लेट तस्वीरें; 0 = कोई सीमा नहीं।",
      },
    }),
    failedCredentialsPerMinute: whole({
      default: 20,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_RATE_FAILED_CREDENTIALS_PER_MINUTE",
      name: { en: "Wrong passwords per minute", hi: "प्रति मिनट ग़लत पासवर्ड" },
      words: { en: "login brute force attempts lock out", hi: "लॉगिन कोशिशें" },
      help: {
        en: "Wrong credentials per minute and address; 0 = no limit.",
        hi: "प्रति मिनट और पता ग़लत पहचान; 0 = कोई सीमा नहीं।",
      },
    }),
  },
);

export const log = group(
  { name: { en: "Log", hi: "लॉग" }, part: "upkeep", at: 3 },
  {
    level: choice(["debug", "info", "warn", "error"], {
      default: "info",
      env: "GATEHOUSE_LOG_LEVEL",
      name: { en: "What the log holds", hi: "लॉग में क्या हो" },
      words: { en: "debug verbose detail logging errors", hi: "डीबग विस्तार त्रुटि" },
      help: { en: "Least severity that is logged.", hi: "लॉग में लिखी जाने वाली न्यूनतम गंभीरता।" },
      choices: {
        debug: { en: "Everything", hi: "सब कुछ" },
        error: { en: "Errors only", hi: "केवल गड़बड़ियाँ" },
        info: { en: "What happens", hi: "जो होता है" },
        warn: { en: "Warnings and errors", hi: "चेतावनियाँ और गड़बड़ियाँ" },
      },
      everyday: true,
    }),
    format: choice(["auto", "json", "text"], {
      default: "auto",
      env: "GATEHOUSE_LOG_FORMAT",
      name: { en: "Form of the log", hi: "लॉग का रूप" },
      help: { en: "auto: text on a terminal, JSON lines otherwise.", hi: "auto: टर्मिनल पर पाठ, नहीं तो JSON पंक्तियाँ।" },
      choices: {
        auto: { en: "Chosen by the hub", hi: "हब चुनता है" },
        json: { en: "JSON lines", hi: "JSON पंक्तियाँ" },
        text: { en: "Text", hi: "पाठ" },
      },
      everyday: true,
    }),
  },
);
