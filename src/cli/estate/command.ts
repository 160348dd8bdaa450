import { type Command, json, openPlace, readArguments, UsageError } from "../command.ts";
import { ESTATE_OPTIONS, type EstateCall } from "./call.ts";
import { asOwnerOf } from "./file-owner.ts";

/** `gatehouse estate …`. */
export const estateCommand: Command = {
  name: "estate",
  summary: "join several gates to one register",
  help: `Usage: gatehouse estate create NAME [--hub NAME] [--title TEXT] [--part PART] [--address HOST] [--cluster HOST,HOST,HOST] [--out FOLDER]
                               [--keep-days 90] [--store-gb 4] [--store FOLDER] [--listen ADDRESS] [--port 4222] [--cluster-port 6222]
       gatehouse estate invite HUB [--title TEXT] [--part PART] [--manager] [--valid 24h] [--address HOST:PORT]…
       gatehouse estate join CODE
       gatehouse estate list
       gatehouse estate remove HUB
       gatehouse estate leave

Names of estates, hubs and parts are 1 to 32 small letters, digits or hyphens. Run it as root or as the hub's user; files belong to the hub's
user in the end. Everything can be repeated: what is done is left, what was cut off is finished.

  create   makes the estate's keys on this box and writes the configuration of its NATS server, which runs beside this hub as
           gatehouse-nats.service (--address: the host by which the other hubs reach this box), or, with --cluster, a folder for each of three
           servers (--out), to be copied to /var/lib/gatehouse/estate/nats there. Then it makes the streams; where no server answers yet, run it
           again once they run. This hub is the estate's first, with the role of a manager. Without a network of its own everything else stays as
           it was. Repeated after an update, it brings rights and streams to the new version
  invite   prints a code with which one hub can join once, and as a QR picture. HUB is its name in the estate; --title its name for people;
           --part the part of the site that it guards (main); --manager: it may open gates of other hubs; --valid: minutes, hours or days (24h, at
           most 7d); --address: where the other hub reaches this one (all its addresses, unless given). This hub must run with TLS
  join     asks the inviting hub, known by its certificate, for this hub's own credential. The code can be used once. The hub is restarted
  list     the hubs of the estate, and how they are where this hub runs
  remove   takes a hub out at once: its connections end, and what it holds opens nothing any more. It can be invited again, with new keys.
           Only where the estate was made
  leave    takes this hub out of its estate; what it knows of reads and rules stays on it. Its keeper removes it with remove`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, ESTATE_OPTIONS);
    const [verb = "", subject, ...more] = positionals;
    if (more.length > 0) throw new UsageError(`${verb} takes one name or code.`);
    const place = openPlace(io, values.data);
    const verbs = await import("./verbs.ts");
    const work = Object.hasOwn(verbs.ESTATE_VERBS, verb)
      ? verbs.ESTATE_VERBS[verb as keyof typeof verbs.ESTATE_VERBS]
      : undefined;
    if (work === undefined)
      throw new UsageError(verb === "" ? "Say what to do with the estate." : `There is no 'estate ${verb}'.`);
    const call: EstateCall = { io, dataFolder: place.dataFolder, settings: place.settings.current, values, subject };
    const { shown, text } = await asOwnerOf(place.dataFolder, () => work(call));
    io.out(values.json ? json(shown) : text);
    return 0;
  },
};
