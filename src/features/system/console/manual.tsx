/** A chapter of the manual as elements: headings, paragraphs, lists, tables, code and links of Markdown. Nothing in it runs. */
import type { ComponentChildren } from "preact";
import { anchorOf } from "../../../console/components/help-chapter.ts";
import { isChapter } from "./help-chapters.ts";

/** Markdown as elements. */
export function Manual({ text }: { text: string }) {
  return <div class="manual">{blocksOf(text.split("\n"))}</div>;
}

function blocksOf(lines: readonly string[]): ComponentChildren[] {
  const found: ComponentChildren[] = [];
  let n = 0;
  const while_ = (is: (line: string) => boolean): string[] => {
    const begin = n;
    while (n < lines.length && is(lines[n] ?? "")) n += 1;
    return lines.slice(begin, n);
  };
  while (n < lines.length) {
    const line = lines[n] ?? "";
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    if (line.trim() === "" || line.startsWith("<!--")) n += 1;
    else if (heading !== null) {
      n += 1;
      const text = heading[2] ?? "";
      const id = anchorOf(text);
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
      const paragraph = while_((one) => one.trim() !== "" && !/^(#{1,4} |```|\||(\*|-|\d+\.) )/.test(one));
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
  return text.split(/(\*\*.+?\*\*|`[^`]+`|\[[^\]]+\]\([^)]+\)|(?<![\w*])\*[^*\s][^*]*\*(?![\w*]))/).map((piece) => {
    if (piece.startsWith("**") && piece.length > 4) return <strong>{inline(piece.slice(2, -2))}</strong>;
    if (piece.startsWith("`") && piece.length > 2) return <code>{piece.slice(1, -1)}</code>;
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece);
    if (link !== null) return linkOf(link[1] ?? "", link[2] ?? "");
    if (piece.startsWith("*") && piece.length > 2) return <em>{inline(piece.slice(1, -1))}</em>;
    return piece;
  });
}

function linkOf(text: string, to: string): ComponentChildren {
  if (to.startsWith("#")) return <a href={to}>{inline(text)}</a>;
  const [, chapter = "", fragment = ""] = /^([\w-]+)\.md(#.*)?$/.exec(to) ?? [];
  if (isChapter(chapter)) return <a href={`/help/${chapter}${fragment}`}>{inline(text)}</a>;
  return <>{inline(text)}</>;
}
