// @ts-check
/**
 * node scripts/release.mjs [--arch amd64|arm64] [--out FOLDER] [--key FILE | --public-key FILE] [--cache FOLDER]
 *   [--version V] [--build FOLDER]
 * node scripts/release.mjs --slot --root FILE --boot FILE [--arch …] [--out …] [--key …]
 *
 * Makes gatehouse-VERSION-linux-ARCH.tar: Node, node modules for ARCH, the build, the console, the models, the units
 * and the installer, with a signed manifest. `tar -xf` and `./install.sh` install it; the updates page of an installed
 * hub accepts the same file. It also writes gatehouse-VERSION-linux-ARCH.cdx.json, the bill of materials (CycloneDX),
 * which the release contains too, and gatehouse-client-VERSION.tgz, the client for apps. With --slot:
 * gatehouse-VERSION-image-ARCH.tar, an update for hubs that run from a card image.
 *
 * --key: Ed25519 private key, PEM (openssl genpkey -algorithm ed25519). Its public half goes into the release, which
 * then accepts updates signed with this key. Without a key the release is unsigned: it can be installed by hand, and
 * accepts no updates. --public-key: only the public half: the same bytes without the signature, to compare with a
 * release that somebody else made. --build: use this finished build instead of making one. arm64 on another machine
 * needs g++-aarch64-linux-gnu libc6-dev-arm64-cross.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { publicKeyOf, writeBundle } from "./lib/bundle.mjs";
import { packClient } from "./lib/client-package.mjs";
import { prepare, root } from "./lib/prepare.mjs";
import { ensureRuntime } from "./lib/runtime.mjs";

await ensureRuntime();

const { values } = parseArgs({
  options: {
    arch: { type: "string", default: process.arch === "arm64" ? "arm64" : "amd64" },
    out: { type: "string", default: join(root, "dist/release") },
    cache: {
      type: "string",
      default: join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "gatehouse-image"),
    },
    key: { type: "string" },
    "public-key": { type: "string" },
    version: { type: "string" },
    build: { type: "string" },
    slot: { type: "boolean", default: false },
    root: { type: "string" },
    boot: { type: "string" },
  },
});
const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const version = values.version ?? own.version;
const { arch } = values;
const out = resolve(values.out);
const keyFile = values.key === undefined ? null : resolve(values.key);
const builtAt =
  Number(
    process.env.SOURCE_DATE_EPOCH ??
      execFileSync("git", ["-C", root, "log", "-1", "--format=%ct"], { encoding: "utf8" }),
  ) * 1000;
const databaseVersion = readdirSync(join(root, "src/core/storage/migrations")).filter((name) =>
  name.endsWith(".sql"),
).length;

mkdirSync(out, { recursive: true });
mkdirSync(values.cache, { recursive: true });
if (values.slot) {
  if (values.root === undefined || values.boot === undefined) throw new Error("--slot needs --root and --boot");
  const file = join(out, `gatehouse-${version}-image-${arch}.tar`);
  const files = [
    { name: "root.img", path: resolve(values.root) },
    { name: "boot.tar", path: resolve(values.boot) },
  ];
  await writeBundle({ out: file, keyFile, kind: "slot", version, arch, builtAt, databaseVersion, files });
  report(file);
} else {
  const file = join(out, `gatehouse-${version}-linux-${arch}.tar`);
  if (values.build === undefined) await prepare();
  const tree = makeTree(join(out, `.tree-${arch}`));
  const payload = join(out, ".payload.tar.gz");
  execFileSync("sh", [
    "-c",
    `tar -cf - --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime=@${builtAt / 1000} -C "$1" . | gzip -n -${process.env.LEVEL ?? 6} > "$2"`,
    "sh",
    tree,
    payload,
  ]);
  const files = [
    { name: "install.sh", path: join(root, "scripts/install.sh") },
    { name: "payload.tar.gz", path: payload },
  ];
  await writeBundle({ out: file, keyFile, kind: "versions", version, arch, builtAt, databaseVersion, files });
  rmSync(payload);
  cpSync(join(tree, "sbom.cdx.json"), file.replace(/tar$/, "cdx.json"));
  console.log(packClient(out, version));
  rmSync(tree, { recursive: true });
  report(file);
}

/** Everything below /opt/gatehouse/versions/VERSION. @param {string} tree */
function makeTree(tree) {
  const env = {
    ...process.env,
    VERSION: version,
    SOURCE_DATE_EPOCH: String(builtAt / 1000),
    ...(values.build === undefined ? {} : { BUILD_FOLDER: values.build }),
  };
  execFileSync(join(root, "scripts/image/hub-tree.sh"), [arch, resolve(values.cache), tree], {
    stdio: ["ignore", "inherit", "inherit"],
    env,
  });
  /** @param {string} path */
  const into = (path) => cpSync(join(root, path), join(tree, path), { recursive: true });
  for (const path of ["src/core/storage/migrations", "test/fixtures/plates", "systemd", "scripts/install.sh"])
    into(path);
  writeFileSync(
    join(tree, "package.json"),
    `${JSON.stringify({ ...own, version, scripts: undefined, devDependencies: undefined }, null, 2)}\n`,
  );
  const publicKey =
    values["public-key"] === undefined ? keyFile && publicKeyOf(keyFile) : readFileSync(values["public-key"]);
  if (publicKey !== null) writeFileSync(join(tree, "release.pub"), publicKey);
  writeFileSync(
    join(tree, "bin/gatehouse"),
    '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexec "$here/node" "$here/../scripts/gatehouse.mjs" "$@"\n',
    {
      mode: 0o755,
    },
  );
  execFileSync("chmod", ["-R", "u=rwX,go=rX", tree]);
  return tree;
}

/** @param {string} file */
function report(file) {
  const megabytes = (statSync(file).size / 1_000_000).toFixed(1);
  console.log(`${file}  ${megabytes} MB${keyFile === null ? "  (unsigned)" : ""}`);
}
