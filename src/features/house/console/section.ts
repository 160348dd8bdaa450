import { t } from "../../../console/i18n/translate.ts";
import type { Section } from "../../../console/pages/section.ts";
import { house } from "../../../console/store.ts";

/** What the page about who is home says in one line, and the words by which it and the house are found. */
export const section: Section = {
  standings: {
    "/system/presence": async () =>
      house.value === null
        ? null
        : { text: t("presence.standing", { n: house.value.persons.filter(({ is }) => is !== null).length }) },
  },
  places: [
    {
      title: "presence.title",
      to: "/system/presence",
      words: {
        en: "presence home away leave arrive nobody somebody phone tracker location family mode night holiday",
        hi: "मौजूदगी घर बाहर आना जाना कोई फ़ोन परिवार रात छुट्टी",
      },
    },
    {
      title: "houseMode.title",
      to: "/",
      words: { en: "mode home away night holiday vacation house", hi: "घर बाहर रात छुट्टी ढंग" },
    },
  ],
};
