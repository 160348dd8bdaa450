import { randomBase62 } from "../core/kernel/ids.ts";
import { type Command, json, readArguments, UsageError, withHub } from "./command.ts";

const GENERATED_LENGTH = 20;

/** `gatehouse reset-owner`. */
export const resetOwnerCommand: Command = {
  name: "reset-owner",
  summary: "set a new password for an owner who lost theirs",
  help: `Usage: gatehouse reset-owner [--email ADDRESS] [--password-stdin]

Sets the password of the owner (or of --email), switches the second factor off, removes the passkeys and ends all
sessions. Without --password-stdin a password is made up and printed this once.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {
      email: { type: "string" },
      "password-stdin": { type: "boolean" },
    });
    if (positionals.length > 0) throw new UsageError("reset-owner takes no arguments but its options.");
    const given = values["password-stdin"] ? (await io.readInput()).replace(/\r?\n$/, "") : null;
    const password = given ?? randomBase62(GENERATED_LENGTH);
    const body = { password, ...(values.email === undefined ? {} : { email: values.email }) };
    const { email } = (await withHub(io, values.data, (hub) => hub.call("POST", "/api/box/reset-owner", body))) as {
      email: string;
    }; // features/provision/api/console-box.ts
    const shown = given === null ? { email, password } : { email };
    io.out(
      values.json ? json(shown) : `The password of ${email} is changed${given === null ? `: ${password}` : "."}\n`,
    );
    return 0;
  },
};
