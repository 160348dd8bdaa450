import { useState } from "preact/hooks";
import { get, post, put, remove } from "../../../console/api.ts";
import { Card, Empty, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Confirm, Dialog, Form } from "../../../console/components/dialog.tsx";
import { downloadProved } from "../../../console/components/download.ts";
import { useLoaded } from "../../../console/components/loaded.ts";
import { PageActions } from "../../../console/components/page-actions.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { Restarting } from "../../../console/components/restarting.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { keyedText, recordedText } from "../../../console/i18n/hub-texts.ts";
import { ago, bytes, dateTime, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { RestoreFile } from "./restore-file.tsx";

type Backup = BackupList["backups"][number];

type Destination = BackupList["destinations"][number];

type BackupList = AnswerTo<"GET", "/api/backups">;

type Open =
  | { readonly what: "passphrase" }
  | { readonly what: "restore" | "remove"; readonly backup: Backup }
  | { readonly what: "file" }
  | null;

/** Why a backup failed; empty where it did not. */
function problemOf({ problem, words }: Backup): string {
  return problem === null ? "" : recordedText("detail", words, problem);
}

/** The effect of a restore on credentials: shows the owner that it reactivated nothing revoked. */
function Restored({ restore: { at, sessions, ended, list } }: { restore: NonNullable<BackupList["lastRestore"]> }) {
  const n = Object.values(ended).reduce((sum, count) => sum + count, 0);
  return (
    <Notice tone="good">
      {t("backup.restored", { ago: ago(at), n, sessions })}
      {list.length > 0 && (
        <details>
          <summary>{t("backup.restoredList")}</summary>
          <ul>
            {list.map(({ kind, name }) => (
              <li key={`${kind} ${name}`}>
                {keyedText(`grantKind.${kind}`, kind)}: {name}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Notice>
  );
}

function rehearsedText({ text, words }: NonNullable<BackupList["rehearsal"]>): string {
  return recordedText("detail", words, text);
}

/** Backups: automatic and manual, checked, rehearsed, downloaded, restored. */
export function BackupsPage() {
  const [list, load] = useLoaded(() => get("/api/backups"));
  const [busy, setBusy] = useState<"make" | "rehearse" | null>(null);
  const [open, setOpen] = useState<Open>(null);
  const [restarting, setRestarting] = useState<{ restarts: boolean } | null>(null);
  const work = async (what: "make" | "rehearse", done: () => Promise<string>): Promise<void> => {
    setBusy(what);
    try {
      say(await done());
    } catch (error) {
      sayError(error);
    }
    setBusy(null);
    load();
  };
  const make = async (): Promise<string> => {
    const { backups } = await post("/api/backups");
    const failed = backups.find(({ problem }) => problem !== null);
    return failed === undefined ? t("backup.made") : problemOf(failed);
  };
  const rehearse = async (): Promise<string> => rehearsedText((await post("/api/backups/rehearse")).rehearsal);
  const close = (): void => {
    setOpen(null);
    load();
  };
  return (
    <>
      <PageHead title={t("backup.title")} subtitle={t("backup.subtitle")}>
        <PageActions
          primary={{
            text: busy === "make" ? t("backup.making") : t("backup.make"),
            icon: "plus",
            disabled: busy !== null,
            onClick: () => void work("make", make),
          }}
          others={[{ text: t("backup.restoreFile"), onClick: () => setOpen({ what: "file" }) }]}
        />
      </PageHead>
      <Tabs of="/system" here="/system/backups" />
      {list?.rehearsal?.ok === false && <Notice tone="bad">{rehearsedText(list.rehearsal)}</Notice>}
      {list !== null && list.lastRestore !== null && <Restored restore={list.lastRestore} />}
      <div class="columns">
        <div class="stack home-main">
          <BackupsCard list={list} isMaking={busy === "make"} onOpen={setOpen} />
        </div>
        <div class="stack home-side">
          {list !== null && (
            <PlanCard
              list={list}
              busy={busy}
              onRehearse={() => void work("rehearse", rehearse)}
              onPassphrase={() => setOpen({ what: "passphrase" })}
            />
          )}
          {list !== null && <DestinationsCard destinations={list.destinations} />}
        </div>
      </div>
      {open?.what === "passphrase" && <Passphrase has={list?.hasPassphrase === true} onClose={close} />}
      {open?.what === "restore" && <Restore backup={open.backup} onClose={close} onStarted={setRestarting} />}
      {open?.what === "file" && <RestoreFile onClose={close} onStarted={setRestarting} />}
      {open?.what === "remove" && (
        <Confirm
          title={t("backup.removeTitle", { at: dateTime(open.backup.at) })}
          text={t("backup.removeText")}
          action={t("backup.remove")}
          danger
          onYes={() => remove("/api/backups/{id}", { params: { id: open.backup.id } })}
          onClose={close}
        />
      )}
      {restarting && <Restarting text={t("restart.restore")} byItself={restarting.restarts} />}
    </>
  );
}

function BackupsCard({
  list,
  isMaking,
  onOpen,
}: {
  list: BackupList | null;
  isMaking: boolean;
  onOpen: (open: Open) => void;
}) {
  return (
    <Card title={t("backup.list")}>
      {list?.backups.length === 0 && !isMaking && <Empty icon="shield" text={t("backup.none")} />}
      <ul class="list tooled">
        {isMaking && (
          <li>
            <p class="grow soft" role="status">
              {t("backup.beingMade")}
            </p>
          </li>
        )}
        {(list?.backups ?? []).map((backup) => (
          <li key={backup.id}>
            <div class="grow">
              <p>
                {dateTime(backup.at)} {backup.encrypted && <span class="badge">{t("backup.encrypted")}</span>}{" "}
                {backup.problem !== null ? (
                  <span class="badge bad">{t("backup.failed")}</span>
                ) : (
                  !backup.present && <span class="badge warn">{t("backup.away")}</span>
                )}
              </p>
              <p class="soft small">
                {[
                  backup.destination === "local" ? t("backup.local") : backup.destination,
                  backup.bytes === null ? null : bytes(backup.bytes),
                  problemOf(backup),
                ]
                  .filter((part) => part !== null && part !== "")
                  .join(" · ")}
              </p>
            </div>
            {backup.problem === null && backup.present && (
              <div class="tools">
                <Button
                  text={t("backup.download")}
                  aria-label={t("backup.downloadNamed", { at: dateTime(backup.at) })}
                  onClick={() => void downloadProved(`/api/backups/${backup.id}/file`).catch(sayError)}
                />
                <Button text={t("backup.restore")} onClick={() => onOpen({ what: "restore", backup })} />
                <IconButton
                  icon="trash"
                  label={t("backup.removeNamed", { at: dateTime(backup.at) })}
                  onClick={() => onOpen({ what: "remove", backup })}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function PlanCard({
  list,
  busy,
  onRehearse,
  onPassphrase,
}: {
  list: BackupList;
  busy: string | null;
  onRehearse: () => void;
  onPassphrase: () => void;
}) {
  const { nextAt, rehearsal, hasPassphrase } = list;
  return (
    <Card title={t("backup.plan")}>
      <p>{nextAt === null ? t("backup.noNext") : t("backup.next", { at: dateTime(nextAt) })}</p>
      <p class="soft small">
        {rehearsal === null
          ? t("backup.notRehearsed")
          : t("backup.rehearsed", { ago: ago(rehearsal.at), text: rehearsedText(rehearsal) })}
      </p>
      <p class="soft small">{hasPassphrase ? t("backup.hasPassphrase") : t("backup.noPassphrase")}</p>
      <div class="row">
        <Button
          text={busy === "rehearse" ? t("backup.rehearsing") : t("backup.rehearse")}
          disabled={busy !== null}
          onClick={onRehearse}
        />
        <Button text={t("backup.passphrase")} onClick={onPassphrase} />
        <a class="button" href="/system/settings?find=backup">
          {t("settings.title")}
        </a>
      </div>
    </Card>
  );
}

function DestinationsCard({ destinations }: { destinations: readonly Destination[] }) {
  return (
    <Card title={t("backup.destinations")}>
      <ul class="list">
        {destinations.map((place) => (
          <li key={place.name}>
            <div class="grow">
              <p class="ellipsis">{place.name === "local" ? t("backup.local") : place.name}</p>
              <p class="soft small">
                {place.freeBytes === null
                  ? recordedText("detail", place.words, place.text)
                  : t("backup.free", { size: bytes(place.freeBytes) })}
              </p>
            </div>
            <span class={place.ready ? "badge good" : "badge warn"}>
              {place.ready ? t("backup.ready") : t("backup.away")}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Passphrase({ has, onClose }: { has: boolean; onClose: () => void }) {
  const [passphrase, setPassphrase] = useState("");
  const [isEnding, setEnding] = useState(false);
  const set = async (value: string | null): Promise<void> => {
    await put("/api/backups/passphrase", { body: { passphrase: value } });
    say(t("action.saved"));
    onClose();
  };
  return (
    <Dialog title={t("backup.passphrase")} onClose={onClose}>
      <p>{t("backup.passphraseText")}</p>
      <Form submit={t("action.save")} send={() => set(passphrase)} onCancel={onClose}>
        {(errors) => (
          <PasswordField
            label={t("backup.newPassphrase")}
            hint={t("backup.passphraseHint")}
            autocomplete="new-password"
            value={passphrase}
            onInput={setPassphrase}
            error={errors.passphrase}
            required
          />
        )}
      </Form>
      {has && <Button look="danger" text={t("backup.passphraseOff")} onClick={() => setEnding(true)} />}
      {isEnding && (
        <Confirm
          title={t("backup.passphraseOffTitle")}
          text={t("backup.passphraseOffText")}
          action={t("backup.passphraseOff")}
          danger
          onYes={() => set(null)}
          onClose={() => setEnding(false)}
        />
      )}
    </Dialog>
  );
}

function Restore({
  backup,
  onClose,
  onStarted,
}: {
  backup: Backup;
  onClose: () => void;
  onStarted: (plan: { restarts: boolean }) => void;
}) {
  const [passphrase, setPassphrase] = useState("");
  const send = async (): Promise<void> => {
    const body = backup.encrypted ? { passphrase } : {};
    const { restore } = await post("/api/backups/{id}/restore", { params: { id: backup.id }, body });
    onClose();
    onStarted(restore);
  };
  return (
    <Dialog title={t("backup.restoreTitle", { at: dateTime(backup.at) })} onClose={onClose}>
      <p>{t("backup.restoreText")}</p>
      <Form submit={t("backup.restoreNow")} danger send={send} onCancel={onClose}>
        {(errors) =>
          backup.encrypted && (
            <PasswordField
              label={t("backup.itsPassphrase")}
              autocomplete="off"
              value={passphrase}
              onInput={setPassphrase}
              error={errors.passphrase}
              required
            />
          )
        }
      </Form>
    </Dialog>
  );
}
