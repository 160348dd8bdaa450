import { group, list, text } from "../../core/settings/builders.ts";

export const updates = group(
  {
    name: { en: "Updates", hi: "अपडेट" },
    part: "upkeep",
    at: 1,
  },
  {
    sources: list({
      default: [],
      item: "^(folder:/[^,]+|mount:/[^,]+|usb:[^/,]{1,64})$",
      env: "GATEHOUSE_UPDATES_SOURCES",
      name: { en: "Where updates are looked for", hi: "अपडेट कहाँ खोजे जाते हैं" },
      words: { en: "upgrade usb folder version", hi: "पेन-ड्राइव संस्करण" },
      help: {
        en: "Where updates are looked for, beside every stick that is plugged in: folder:/path, mount:/path or usb:LABEL.",
        hi: "अपडेट कहाँ खोजे जाएँ, हर लगी स्टिक के अलावा: folder:/path, mount:/path या usb:LABEL।",
      },
      restart: false,
    }),
    stateFolder: text({
      default: "",
      env: "GATEHOUSE_UPDATE_STATE",
      name: { en: "Folder about updates", hi: "अपडेट की जानकारी का फ़ोल्डर" },
      help: {
        en: "Folder in which the system's service reports how updates went. Set by the installer; empty: this hub is not updated from within.",
        hi: "वह फ़ोल्डर जिसमें सिस्टम का अपना हिस्सा बताता है कि अपडेट कैसे गए। इंस्टॉलर इसे तय करता है; ख़ाली: यह हब भीतर से अपडेट नहीं होता।",
      },
    }),
  },
);
