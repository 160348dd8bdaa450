/** A chapter of the manual as elements: headings, paragraphs, lists, tables, code and links of Markdown. Nothing in it runs. */
import type { ComponentChildren } from "preact";
import { unbroken } from "../i18n/unbroken.ts";
import { isChapter } from "./chapters.ts";
import { anchorOf, NAMED } from "./sections.ts";
import "./help.css";

/** The pictures of the manual, by their names; each is loaded when it comes into view. */
const PICTURES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>(
      "../../../docs/screenshots/{home,gate,device,rules,automation-new,history}-phone-{light,hi}.webp",
      {
        query: "?url",
        import: "default",
        eager: true,
      },
    ),
  ).map(([path, url]) => [path.slice(path.lastIndexOf("/") + 1), url]),
);

/** Markdown as elements. */
export function Manual({ text }: { text: string }) {
  return <div class="manual">{blocksOf(text.split("\n"))}</div>;
}

function blocksOf(lines: readonly string[]): ComponentChildren[] {
  const found: ComponentChildren[] = [];
  let n = 0;
  let named: string | null = null;
  const while_ = (is: (line: string) => boolean): string[] => {
    const begin = n;
    while (n < lines.length && is(lines[n] ?? "")) n += 1;
    return lines.slice(begin, n);
  };
  while (n < lines.length) {
    const line = lines[n] ?? "";
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    const name = NAMED.exec(line)?.[1];
    const picture = /^!\[([^\]]*)\]\((?:[^)]*\/)?([\w.-]+)\)$/.exec(line);
    if (line.trim() === "" || line.startsWith("<!--")) n += 1;
    else if (name !== undefined) {
      n += 1;
      named = name;
    } else if (picture !== null) {
      n += 1;
      const [, words = "", file = ""] = picture;
      const url = PICTURES[file];
      if (url !== undefined) found.push(<img src={url} alt={words} width="390" height="844" loading="lazy" />);
    } else if (heading !== null) {
      n += 1;
      const text = heading[2] ?? "";
      const id = named ?? anchorOf(text);
      named = null;
      // the page has the chapter's own title as its first heading
      if (heading[1] === "##") found.push(<h2 id={id}>{inline(text)}</h2>);
      else if (heading[1] !== "#") found.push(<h3 id={id}>{inline(text)}</h3>);
    } else if (line.startsWith("```")) {
      n += 1;
      const code = while_((one) => !one.startsWith("```"));
      n += 1;
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a mouse
      found.push(<pre tabIndex={0}>{code.join("\n")}</pre>);
    } else if (line.startsWith("|")) found.push(tableOf(while_((one) => one.startsWith("|"))));
    else if (/^(\*|-|\d+\.) /.test(line)) {
      const items: string[][] = [];
      for (const one of while_((each) => /^(\*|-|\d+\.) /.test(each) || /^\s{2,}\S/.test(each) || each === "")) {
        if (/^(\*|-|\d+\.) /.test(one)) items.push([one.replace(/^(\*|-|\d+\.) /, "")]);
        else items.at(-1)?.push(one.replace(/^ {2,3}/, ""));
      }
      const children = items.map((item) => <li>{item.length === 1 ? inline(item[0] ?? "") : blocksOf(item)}</li>);
      found.push(/^\d/.test(line) ? <ol>{children}</ol> : <ul>{children}</ul>);
    } else {
      const paragraph = while_((one) => one.trim() !== "" && !/^(#{1,4} |```|\||!\[|<a id|(\*|-|\d+\.) )/.test(one));
      if (paragraph.length === 0) n += 1;
      else found.push(<p>{inline(paragraph.join(" "))}</p>);
    }
  }
  return found;
}

function tableOf(lines: readonly string[]): ComponentChildren {
  const rows = lines
    .filter((line) => !/^\|[\s:|-]+\|$/.test(line))
    .map((line) =>
      line
        .replace(/^\||\|$/g, "")
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|")),
    );
  const [head = [], ...body] = rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a mouse
    <div class="table-wrap" tabIndex={0} role="region" aria-label={head.join(", ")}>
      <table class="table">
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col">{inline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Bold, emphasis, code and links; links to other chapters stay in the hub, those to other files are plain words. */
function inline(text: string): ComponentChildren[] {
  return text
    .split(/(\*\*.+?\*\*|`[^`]+`|\[[^\]]+\]\([^)]+\)|(?<![\w*])\*[^*\s](?:[^*]*[^*\s])?\*(?![\w*]))/)
    .map((piece) => {
      if (piece.startsWith("**") && piece.length > 4) return <strong>{inline(piece.slice(2, -2))}</strong>;
      if (piece.startsWith("`") && piece.length > 2) return <code>{piece.slice(1, -1)}</code>;
      const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece);
      if (link !== null) return linkOf(link[1] ?? "", link[2] ?? "");
      if (piece.startsWith("*") && piece.length > 2) return <em>{inline(piece.slice(1, -1))}</em>;
      return unbroken(piece);
    });
}

function linkOf(text: string, to: string): ComponentChildren {
  if (to.startsWith("#")) return <a href={to}>{inline(text)}</a>;
  const [, chapter = "", fragment = ""] = /^([\w-]+)(?:\.hi)?\.md(#.*)?$/.exec(to) ?? [];
  if (isChapter(chapter)) return <a href={`/help/${chapter}${fragment}`}>{inline(text)}</a>;
  return <>{inline(text)}</>;
}
