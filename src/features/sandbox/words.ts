import type { Language } from "../../core/text/render.ts";

/** Everything that the simulated household is called or says, by its English. */
const HINDI: Readonly<Record<string, string>> = {
  "Living room": "बैठक",
  Kitchen: "रसोई",
  "Dining room": "भोजन कक्ष",
  Bedroom: "शयनकक्ष",
  Garden: "बगीचा",
  Driveway: "ड्राइववे",
  Hall: "प्रवेश कक्ष",
  "Living room hub": "बैठक का हब",
  "Television plug": "टीवी का प्लग",
  "Kitchen light": "रसोई की बत्ती",
  "Dining lamp": "भोजन कक्ष का लैंप",
  "Bedroom fan": "शयनकक्ष का पंखा",
  "Water pump": "पानी का पंप",
  "Bedroom shutter": "शयनकक्ष का शटर",
  "Driveway gate": "ड्राइववे का गेट",
  "Front door": "सामने का दरवाज़ा",
  "Garden sensor": "बगीचे का सेंसर",
  "House meter": "घर का मीटर",
  "Living room climate": "बैठक का तापमान",
  "Gate camera": "गेट का कैमरा",
  "Hall sentinel": "प्रवेश कक्ष का पहरेदार",
  Evening: "शाम",
  "Good night": "शुभ रात्रि",
  Away: "बाहर",
  "Lamp in the evening": "शाम को लैंप",
  "Lock the front door": "सामने का दरवाज़ा बंद करो",
  "Tell me when the gate opens at night": "रात में गेट खुले तो बताओ",
  "The gate is open": "गेट खुला है",
  "The driveway gate was opened.": "ड्राइववे का गेट खोला गया।",
  "Lights off when the last one leaves": "सब चले जाएँ तो बत्तियाँ बंद",
  "Tell me when a door opens while we are away": "हमारे पीछे दरवाज़ा खुले तो बताओ",
  "{device} was opened": "{device} खोला गया",
  "The house is in Away mode.": "घर “बाहर” मोड में है।",
  "Fan when it is hot": "गरमी हो तो पंखा",
  "Family car": "घर की गाड़ी",
  "Second car": "दूसरी गाड़ी",
  "Milk delivery": "दूध वाला",
  Grandparents: "दादा-दादी",
  "Turned away before": "पहले लौटाया गया",
};

/** What the simulated household calls something, or says, in the language of its owner. */
export function inWordsOf(language: Language, english: string): string {
  return language === "hi" ? (HINDI[english] ?? english) : english;
}
