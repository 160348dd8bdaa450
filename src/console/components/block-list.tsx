import "./rules.css";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { t } from "../i18n/translate.js";
import { type Block, BlockEditor, type BlockType } from "./block-editor.js";
import { DragHandle, MoveButtons, moved, placeAt } from "./drag.js";
import { SelectField } from "./field.js";
import { Icon } from "./icon.js";

/** What every list of a tree of blocks is given alike. */
interface Shared {
  readonly types: readonly BlockType[];
  /** Stands on the choice that adds a block. */
  readonly addLabel: string;
  /** What is said of a block; `pointer` names it within the whole. */
  readonly about?: (block: Block, pointer: string) => ComponentChildren;
}

/**
 * Blocks in order, with one to add at the end; groups hold lists of their own. They are put in order by dragging, or
 * with buttons.
 */
export function BlockList({
  blocks,
  pointer,
  onChange,
  ...shared
}: Shared & { blocks: readonly Block[]; pointer: string; onChange: (blocks: Block[]) => void }) {
  const { types, addLabel, about } = shared;
  const keys = useKeys(blocks.length);
  const list = useRef<HTMLUListElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  /** The order before the drag. */
  const before = useRef<{ readonly blocks: readonly Block[]; readonly keys: readonly number[] } | null>(null);
  const [said, setSaid] = useState("");
  const nameOf = (block: Block, index: number): string =>
    `${index + 1}. ${t(types.find((type) => type.type === block.type)?.label ?? "block.unknown")}`;
  const replace = (index: number, next: Block): void =>
    onChange(blocks.map((block, at) => (at === index ? next : block)));
  const move = (from: number, to: number): void => {
    if (to === from) return;
    keys.current = moved(keys.current, from, to);
    onChange(moved(blocks, from, to));
    const block = blocks[from];
    if (block !== undefined) setSaid(t("block.moved", { name: nameOf(block, from), n: to + 1, count: blocks.length }));
  };
  const drag = (key: number, top: number): void => {
    before.current ??= { blocks, keys: keys.current };
    setDragged(key);
    const from = keys.current.indexOf(key);
    const isDrawn = list.current?.children[from]?.getAttribute("data-key") === String(key);
    if (isDrawn) move(from, placeAt(list.current, from, top));
  };
  const drop = (isDropped: boolean): void => {
    setDragged(null);
    if (!isDropped && before.current !== null) {
      keys.current = [...before.current.keys];
      onChange([...before.current.blocks]);
    }
    before.current = null;
  };
  return (
    <div class="stack">
      {blocks.length > 0 && (
        <ul class="stack" ref={list}>
          {blocks.map((block, index) => {
            const key = keys.current[index] ?? 0;
            const name = nameOf(block, index);
            return (
              <li class="block" key={key} data-key={key} data-dragged={dragged === key}>
                <div class="block-head">
                  {blocks.length > 1 && <DragHandle onMove={(top) => drag(key, top)} onEnd={drop} />}
                  <strong>{name}</strong>
                  <span class="tools">
                    {blocks.length > 1 && (
                      <MoveButtons name={name} index={index} count={blocks.length} onMove={(to) => move(index, to)} />
                    )}
                    <button
                      type="button"
                      class="button plain icon-only"
                      aria-label={t("block.remove", { name })}
                      onClick={() => {
                        keys.current = keys.current.filter((other) => other !== key);
                        onChange(blocks.filter((_, at) => at !== index));
                      }}
                    >
                      <Icon name="trash" small />
                    </button>
                  </span>
                </div>
                <BlockEditor
                  key={block.type}
                  block={block}
                  types={types}
                  noChanged
                  onChange={(next) => replace(index, next)}
                />
                <Nested
                  block={block}
                  pointer={`${pointer}/${index}`}
                  onChange={(next) => replace(index, next)}
                  {...shared}
                />
                {about?.(block, `${pointer}/${index}`)}
              </li>
            );
          })}
        </ul>
      )}
      <p class="sr-only" role="status">
        {said}
      </p>
      <AddBlock types={types} label={addLabel} onAdd={(block) => onChange([...blocks, block])} />
    </div>
  );
}

/**
 * A name for each of `count` rows that stays with its row when the order changes: what a person has half typed into it
 * stays there too.
 */
function useKeys(count: number): { current: readonly number[] } {
  const last = useRef(0);
  const keys = useRef<readonly number[]>([]);
  if (keys.current.length !== count)
    keys.current = Array.from({ length: count }, (_, index) => keys.current[index] ?? ++last.current);
  return keys;
}

function Nested({
  block,
  pointer,
  onChange,
  ...shared
}: Shared & { block: Block; pointer: string; onChange: (block: Block) => void }) {
  const inner = Array.isArray(block.conditions) ? "conditions" : Array.isArray(block.actions) ? "actions" : null;
  if (inner !== null)
    return (
      <BlockList
        blocks={block[inner] as Block[]}
        pointer={`${pointer}/${inner}`}
        onChange={(blocks) => onChange({ ...block, [inner]: blocks })}
        {...shared}
      />
    ); // made by this editor or checked by the hub
  if (block.type !== "not") return null;
  return <NotBlock block={block} pointer={pointer} onChange={onChange} {...shared} />;
}

/** What must not hold: one condition, which another takes the place of. */
function NotBlock({
  block,
  pointer,
  onChange,
  types,
  about,
}: Shared & { block: Block; pointer: string; onChange: (block: Block) => void }) {
  const inner = block.condition as Block; // made by this editor or checked by the hub
  const put = (condition: Block): void => onChange({ ...block, condition });
  return (
    <div class="block">
      <SelectField
        label={t("block.what")}
        value={inner.type}
        options={types.map((type) => [type.type, t(type.label)] as const)}
        onChange={(chosen) => put({ type: chosen, ...types.find((type) => type.type === chosen)?.fresh })}
      />
      <BlockEditor key={inner.type} block={inner} types={types} noChanged onChange={put} />
      <Nested
        block={inner}
        pointer={`${pointer}/condition`}
        onChange={put}
        types={types}
        addLabel={t("rule.addCondition")}
        {...(about === undefined ? {} : { about })}
      />
      {about?.(inner, `${pointer}/condition`)}
    </div>
  );
}

function AddBlock({
  types,
  label,
  onAdd,
}: {
  types: readonly BlockType[];
  label: string;
  onAdd: (block: Block) => void;
}) {
  return (
    <SelectField
      label={label}
      value=""
      options={[["", t("block.choose")], ...types.map((type) => [type.type, t(type.label)] as const)]}
      onChange={(chosen) => {
        const type = types.find((candidate) => candidate.type === chosen);
        if (type !== undefined) onAdd({ type: type.type, ...type.fresh });
      }}
    />
  );
}
