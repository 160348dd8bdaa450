import { choice, group, text } from "../../core/settings/builders.ts";

export const notify = group(
  {
    name: { en: "Messages", hi: "संदेश" },
    part: "home",
    at: 2,
  },
  {
    kind: choice(["none", "ntfy", "webhook"], {
      default: "none",
      env: "GATEHOUSE_NOTIFY_KIND",
      name: { en: "Send messages also to", hi: "संदेश इन्हें भी भेजें" },
      words: { en: "telegram slack discord webhook ntfy alert notification", hi: "सूचना अलर्ट" },
      help: {
        en: "What also receives the messages of automations: an ntfy topic, any server that takes a JSON POST, or nothing.",
        hi: "स्वचालन के संदेश और किसे मिलें: ntfy विषय, JSON POST लेने वाला कोई सर्वर, या किसी को नहीं।",
      },
      choices: {
        none: { en: "Nobody", hi: "किसी को नहीं" },
        ntfy: { en: "An ntfy topic", hi: "एक ntfy विषय" },
        webhook: { en: "Another server", hi: "कोई और सर्वर" },
      },
      restart: false,
    }),
    url: text({
      default: "",
      pattern: "^(https?://[^\\s]+)?$",
      env: "GATEHOUSE_NOTIFY_URL",
      name: { en: "Address for messages", hi: "संदेशों का पता" },
      words: { en: "telegram slack discord webhook ntfy alert notification", hi: "सूचना अलर्ट" },
      help: { en: "Address of the ntfy topic or of the receiver.", hi: "ntfy विषय या रिसीवर का पता।" },
      restart: false,
    }),
  },
);
