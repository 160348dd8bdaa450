import { download } from "../../../console/components/download.ts";
import { TableView } from "../../../console/components/table-view.tsx";
import { zoneMoment } from "../../../console/components/zone-time.ts";
import { t } from "../../../console/i18n/translate.ts";
import { csv } from "../../../core/kernel/csv.ts";
import { valueText } from "./history-chart.tsx";
import type { Line } from "./history-columns.ts";

/** The same numbers as a table, and as a file. */
export function HistoryTable({ lines, zone, name }: { lines: readonly Line[]; zone: string; name: string }) {
  const save = (): void => {
    const head = ["line", "time_utc", `time_${zone}`, "mean", "min", "max", "unit"];
    const rows = lines.flatMap((line) =>
      line.points.map((point) => [
        line.label,
        new Date(point.at).toISOString(),
        zoneMoment(point.at, zone, true),
        point.avg,
        point.min,
        point.max,
        line.unit,
      ]),
    );
    download(`${name.replaceAll(/[^\p{L}\p{N}-]+/gu, "-")}.csv`, "text/csv", csv([head, ...rows]));
  };
  return (
    <TableView onSave={save}>
      {() => (
        <>
          <thead>
            <tr>
              <th scope="col">{t("history.time")}</th>
              {lines.map((line) => (
                <th scope="col" key={line.label}>
                  {line.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowsOf(lines).map(([at, points]) => (
              <Row key={at} at={at} points={points} lines={lines} zone={zone} />
            ))}
          </tbody>
        </>
      )}
    </TableView>
  );
}

function Row({
  at,
  points,
  lines,
  zone,
}: {
  at: number;
  points: readonly (Line["points"][number] | undefined)[];
  lines: readonly Line[];
  zone: string;
}) {
  return (
    <tr>
      <th scope="row">{zoneMoment(at, zone, (lines[0]?.stepMs ?? 0) < 60_000)}</th>
      {points.map((point, index) => (
        <td class="numbers" key={lines[index]?.label}>
          {point === undefined ? "–" : valueText(point, lines[index]?.unit ?? "")}
        </td>
      ))}
    </tr>
  );
}

/** Moments with each line's point at that time, newest first. */
function rowsOf(lines: readonly Line[]): [number, (Line["points"][number] | undefined)[]][] {
  const rows = new Map<number, (Line["points"][number] | undefined)[]>();
  for (const [index, line] of lines.entries()) {
    for (const point of line.points) {
      const row = rows.get(point.at) ?? lines.map(() => undefined);
      row[index] = point;
      rows.set(point.at, row);
    }
  }
  return [...rows].sort(([left], [right]) => right - left);
}
