/**
 * The words of the page `/ca`. It is served without the console, which plain http may not serve, so its texts are here
 * and not in the console's catalogue.
 */

/** Languages of the page. */
export type TrustLanguage = "en" | "hi";

/** Devices that the page has steps for. */
export const PLATFORMS = ["iphone", "android", "windows", "mac", "linux", "firefox"] as const;

/** Texts of one language. Steps are plain text. */
export interface TrustTexts {
  readonly title: string;
  readonly lead: string;
  readonly waiting: string;
  readonly trusted: string;
  readonly encrypted: string;
  readonly console: string;
  readonly download: string;
  readonly downloadText: string;
  readonly install: string;
  readonly platforms: Readonly<Record<(typeof PLATFORMS)[number], readonly [name: string, ...steps: string[]]>>;
  readonly compare: string;
  readonly compareText: string;
  readonly bounds: string;
  readonly other: string;
  readonly otherText: string;
  readonly stuck: string;
  readonly stuckText: string;
  readonly devices: string;
  readonly without: string;
  readonly withoutText: string;
  readonly withoutGo: string;
  /** Of the other language, in its own words. */
  readonly language: string;
}

/** All texts. */
export const TRUST_TEXTS: Readonly<Record<TrustLanguage, TrustTexts>> = {
  en: {
    title: "Close the lock first",
    lead: "Your hub speaks to your phone in code that nobody else in the network can read, once this phone or computer knows the hub. That takes two minutes, once on each device.",
    waiting: "The lock is open: this browser does not know the hub yet. This page notices by itself when it does.",
    trusted: "The lock is closed. Going on over the encrypted connection …",
    encrypted: "This page came over the encrypted connection.",
    console: "Open the console",
    download: "Download the certificate",
    downloadText: "It is a small file that says who the hub is. It holds no secret.",
    install: "Install it",
    platforms: {
      iphone: [
        "iPhone and iPad",
        "Tap Download, then Allow.",
        "Open Settings. At the top stands Profile Downloaded: tap it, then Install.",
        "In Settings go to General, About, Certificate Trust Settings, and switch the Gatehouse authority on.",
      ],
      android: [
        "Android",
        "Tap Download.",
        "Open Settings, and search there for CA certificate (it is under Security, Encryption and credentials, Install a certificate).",
        "Tap CA certificate, Install anyway, and choose gatehouse-ca.crt.",
      ],
      windows: [
        "Windows (Edge, Chrome)",
        "Click Download and open the file.",
        "Install Certificate, Current User, Place all certificates in the following store: Trusted Root Certification Authorities.",
        "Finish, and say Yes. Close the browser and open it again.",
      ],
      mac: [
        "Mac (Safari, Chrome)",
        "Click Download and open the file: Keychain Access takes it.",
        "Double-click Gatehouse authority there, open Trust, and choose Always Trust.",
      ],
      linux: [
        "Linux (Chrome, Chromium)",
        "Click Download.",
        "In the browser open Settings, Privacy and security, Security, Manage certificates, Installed by you, and import the file under Trusted certificates.",
      ],
      firefox: [
        "Firefox on any computer",
        "Click Download.",
        "Settings, Privacy & Security, View Certificates, Authorities, Import: choose the file and tick websites.",
      ],
    },
    compare: "Compare before you trust",
    compareText: "The same digits and letters stand on the screen of the hub, or in the terminal where it was started:",
    bounds:
      "The certificate can vouch for addresses in a home only (names that end in .local, .lan, .home.arpa or .internal, and private addresses), never for a site on the internet.",
    other: "On another phone",
    otherText: "Scan this to open this page there.",
    stuck: "Installed, and the lock stays open?",
    stuckText:
      "Close the browser and open it again. On an iPhone, see whether the third step was done. If you opened the hub under another name, open:",
    devices: "Devices that connect with encryption (MQTT over TLS) take this form of the certificate:",
    without: "Continue without encryption",
    withoutText:
      "Then your password, and everything the hub tells you, can be read by anyone in this network: every guest with the Wi-Fi's password, and every cheap gadget in it. The hub works just the same. You can close the lock later under System.",
    withoutGo: "I understand, continue without",
    language: "English",
  },
  hi: {
    title: "पहले ताला बंद करें",
    lead: "जब यह फ़ोन या कंप्यूटर आपके हब को पहचान लेता है, तब दोनों की बातचीत नेटवर्क में कोई और नहीं पढ़ सकता। इसमें दो मिनट लगते हैं, हर डिवाइस पर एक बार।",
    waiting: "ताला खुला है: यह ब्राउज़र हब को अभी नहीं पहचानता। पहचानते ही यह पेज अपने आप जान लेगा।",
    trusted: "ताला बंद है। एन्क्रिप्टेड कनेक्शन पर आगे बढ़ रहे हैं …",
    encrypted: "यह पेज एन्क्रिप्टेड कनेक्शन से आया है।",
    console: "कंसोल खोलें",
    download: "प्रमाणपत्र डाउनलोड करें",
    downloadText: "यह एक छोटी फ़ाइल है जो बताती है कि हब कौन है। इसमें कोई राज़ नहीं है।",
    install: "इसे इंस्टॉल करें",
    platforms: {
      iphone: [
        "iPhone और iPad",
        "डाउनलोड दबाएँ, फिर Allow।",
        "Settings खोलें। सबसे ऊपर Profile Downloaded है: उसे दबाएँ, फिर Install।",
        "Settings में General, About, Certificate Trust Settings पर जाएँ और Gatehouse authority चालू करें।",
      ],
      android: [
        "Android",
        "डाउनलोड दबाएँ।",
        "Settings खोलें और वहाँ CA certificate खोजें (यह Security, Encryption and credentials, Install a certificate में है)।",
        "CA certificate, फिर Install anyway दबाएँ और gatehouse-ca.crt चुनें।",
      ],
      windows: [
        "Windows (Edge, Chrome)",
        "डाउनलोड दबाएँ और फ़ाइल खोलें।",
        "Install Certificate, Current User, Place all certificates in the following store: Trusted Root Certification Authorities।",
        "Finish और फिर Yes दबाएँ। ब्राउज़र बंद करके दोबारा खोलें।",
      ],
      mac: [
        "Mac (Safari, Chrome)",
        "डाउनलोड दबाएँ और फ़ाइल खोलें: Keychain Access उसे ले लेगा।",
        "वहाँ Gatehouse authority पर दो बार क्लिक करें, Trust खोलें और Always Trust चुनें।",
      ],
      linux: [
        "Linux (Chrome, Chromium)",
        "डाउनलोड दबाएँ।",
        "ब्राउज़र में Settings, Privacy and security, Security, Manage certificates, Installed by you खोलें और Trusted certificates में फ़ाइल जोड़ें।",
      ],
      firefox: [
        "किसी भी कंप्यूटर पर Firefox",
        "डाउनलोड दबाएँ।",
        "Settings, Privacy & Security, View Certificates, Authorities, Import: फ़ाइल चुनें और websites पर निशान लगाएँ।",
      ],
    },
    compare: "भरोसा करने से पहले मिलाएँ",
    compareText: "यही अंक और अक्षर हब की स्क्रीन पर, या उस टर्मिनल में लिखे हैं जहाँ वह शुरू हुआ:",
    bounds:
      "यह प्रमाणपत्र सिर्फ़ घर के पतों की पहचान दे सकता है (.local, .lan, .home.arpa या .internal पर ख़त्म होने वाले नाम, और निजी पते), इंटरनेट की किसी साइट की कभी नहीं।",
    other: "दूसरे फ़ोन पर",
    otherText: "वहाँ यह पेज खोलने के लिए इसे स्कैन करें।",
    stuck: "इंस्टॉल हो गया, फिर भी ताला खुला है?",
    stuckText:
      "ब्राउज़र बंद करके दोबारा खोलें। iPhone पर देखें कि तीसरा चरण हुआ या नहीं। अगर हब किसी और नाम से खोला था, तो यह खोलें:",
    devices: "एन्क्रिप्शन से जुड़ने वाले डिवाइस (TLS पर MQTT) प्रमाणपत्र का यह रूप लेते हैं:",
    without: "बिना एन्क्रिप्शन के आगे बढ़ें",
    withoutText:
      "तब आपका पासवर्ड और हब की हर बात वह पढ़ सकता है जो इस नेटवर्क में है: Wi-Fi का पासवर्ड जानने वाला हर मेहमान, और इसमें लगा हर सस्ता डिवाइस। हब वैसे ही काम करता है। ताला बाद में सिस्टम में बंद किया जा सकता है।",
    withoutGo: "मैं समझता/समझती हूँ, बिना आगे बढ़ें",
    language: "हिन्दी",
  },
};
