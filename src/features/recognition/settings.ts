import { flag, group, list, text, whole } from "../../core/settings/builders.ts";

export const recognition = group(
  { name: { en: "Reading plates", hi: "प्लेट पढ़ना" }, part: "gate", at: 3 },
  {
    enabled: flag({
      default: true,
      env: "GATEHOUSE_RECOGNITION",
      common: true,
      name: { en: "Read number plates", hi: "नंबर प्लेट पढ़ें" },
      words: { en: "anpr alpr lpr license plate camera car recognition", hi: "नंबर प्लेट पहचान कैमरा गाड़ी" },
      help: {
        en: "Read number plates. Off: captures are stored as unrecognised.",
        hi: "नंबर प्लेट पढ़ें। बंद: कैप्चर बिना पढ़े रखे जाते हैं।",
      },
      everyday: true,
    }),
    modelsFolder: text({
      default: "./models",
      env: "GATEHOUSE_MODELS",
      name: { en: "Folder of the models", hi: "मॉडल का फ़ोल्डर" },
      help: { en: "Folder of the model files.", hi: "मॉडल फ़ाइलों का फ़ोल्डर।" },
    }),
    threads: whole({
      default: 0,
      minimum: 0,
      maximum: 64,
      env: "GATEHOUSE_RECOGNITION_THREADS",
      name: { en: "Processor threads for reading", hi: "पढ़ने के लिए प्रोसेसर थ्रेड" },
      words: { en: "cpu core speed fast", hi: "प्रोसेसर तेज़" },
      help: { en: "Threads of the recogniser; 0 = chosen for the machine.", hi: "पहचान के थ्रेड; 0 = मशीन के अनुसार।" },
      everyday: true,
    }),
    budgetMs: whole({
      default: 5_000,
      minimum: 200,
      maximum: 60_000,
      env: "GATEHOUSE_RECOGNITION_BUDGET_MS",
      name: { en: "Longest time for a car (ms)", hi: "एक गाड़ी के लिए अधिकतम समय (मि.से.)" },
      help: {
        en: "Time that one burst may take before its read counts as timed out.",
        hi: "एक कैप्चर को इतना समय मिलता है; फिर माना जाता है कि पढ़ने में बहुत देर लगी।",
      },
      everyday: true,
    }),
    queuedBursts: whole({
      default: 16,
      minimum: 1,
      maximum: 200,
      env: "GATEHOUSE_RECOGNITION_QUEUED_BURSTS",
      name: { en: "Cars that may wait", hi: "कितनी गाड़ियाँ रुक सकती हैं" },
      help: { en: "Bursts that may wait for the recogniser.", hi: "पहचान के लिए कितने कैप्चर रुक सकते हैं।" },
      everyday: true,
    }),
    secondReader: flag({
      default: true,
      env: "GATEHOUSE_RECOGNITION_SECOND_READER",
      name: { en: "Second reader for doubtful plates", hi: "शंका वाली प्लेटों के लिए दूसरा पाठक" },
      help: {
        en: "A second, different network looks at plates of which the first one is not sure: more are read, and fewer wrongly. It takes 15 MB of memory.",
        hi: "अलग बनावट का दूसरा पाठक वे प्लेटें देखता है जिन पर पहले को शंका है: ज़्यादा प्लेटें पढ़ी जाती हैं, और ग़लत कम। इसमें 15 MB मेमोरी लगती है।",
      },
    }),
    countries: list({
      default: [],
      item: "^[A-Z]{2}$",
      env: "GATEHOUSE_RECOGNITION_COUNTRIES",
      common: true,
      name: { en: "Countries of the plates", hi: "प्लेटों के देश" },
      words: { en: "country india license format state", hi: "देश भारत" },
      help: {
        en: "Countries whose plates are seen besides India's, such as BR or US; none: all that the hub knows.",
        hi: "भारत के अलावा किन देशों की प्लेटें दिखती हैं, जैसे BR या US; कुछ न चुनें तो हब को ज्ञात सभी देश।",
      },
      everyday: true,
    }),
  },
);
