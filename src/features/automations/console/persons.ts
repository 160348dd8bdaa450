import { signal } from "@preact/signals";
import { get } from "../../../console/api.ts";

/** The persons of the household whom a message can be for; empty until they are known. */
export const persons = signal<readonly { readonly id: number; readonly name: string }[]>([]);

/** Asks the hub who they are; without an answer, sentences name nobody. */
export function loadPersons(): void {
  void get("/api/persons")
    .then((answer) => {
      persons.value = answer.persons;
    })
    .catch(() => {});
}
