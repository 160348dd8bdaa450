import { IconButton } from "../../../console/components/button.tsx";
import "./rules.css";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { DragHandle, MoveButtons, moved, placeAt } from "../../../console/components/drag.tsx";
import { SelectField } from "../../../console/components/field.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type Block, BlockEditor, type BlockType } from "./block-editor.tsx";

/** Properties of every list in a tree of blocks. */
interface Shared {
  readonly types: readonly BlockType[];
  /** Label of the choice that adds a block. */
  readonly addLabel: string;
  /** What to show about a block; `pointer` names it within the whole. */
  readonly about?: (block: Block, pointer: string) => ComponentChildren;
}

/**
 * Blocks in order, with a choice to add one at the end; groups have lists of their own. They are reordered by dragging,
 * or with buttons.
 */
export function BlockList({
  blocks,
  pointer,
  onChange,
  ...shared
}: Shared & { blocks: readonly Block[]; pointer: string; onChange: (blocks: Block[]) => void }) {
  const { types, addLabel, about } = shared;
  const { keyOf, inherit } = useKeys();
  /** The person's latest list, even before it is drawn: key presses can be faster than drawing. */
  const latest = useRef(blocks);
  latest.current = blocks;
  const list = useRef<HTMLUListElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  /** The order before the drag. */
  const before = useRef<readonly Block[] | null>(null);
  const [announcement, setAnnouncement] = useState("");
  const nameOf = (block: Block, index: number): string =>
    `${index + 1}. ${t(types.find((type) => type.type === block.type)?.label ?? "block.unknown")}`;
  const put = (next: readonly Block[]): void => {
    latest.current = next;
    onChange([...next]);
  };
  const placeOf = (key: number): number => latest.current.findIndex((block) => keyOf(block) === key);
  const replace = (key: number, next: Block): void => {
    inherit(next, key);
    put(latest.current.map((block) => (keyOf(block) === key ? next : block)));
  };
  /** The block may be elsewhere than where it is drawn, or gone. */
  const move = (key: number, to: (from: number) => number): void => {
    const from = placeOf(key);
    const block = latest.current[from];
    if (block === undefined) return;
    const count = latest.current.length;
    const place = Math.min(Math.max(to(from), 0), count - 1);
    if (place === from) return;
    put(moved(latest.current, from, place));
    setAnnouncement(t("block.moved", { name: nameOf(block, from), n: place + 1, count }));
  };
  const drag = (key: number, top: number): void => {
    before.current ??= latest.current;
    setDragged(key);
    const isDrawn = list.current?.children[placeOf(key)]?.getAttribute("data-key") === String(key);
    if (isDrawn) move(key, (from) => placeAt(list.current, from, top));
  };
  const drop = (isDropped: boolean): void => {
    setDragged(null);
    if (!isDropped && before.current !== null) put(before.current);
    before.current = null;
  };
  return (
    <div class="stack">
      {blocks.length > 0 && (
        <ul class="stack" ref={list}>
          {blocks.map((block, index) => {
            const key = keyOf(block);
            const name = nameOf(block, index);
            return (
              <li class="block" key={key} data-key={key} data-dragged={dragged === key}>
                <div class="block-head">
                  {blocks.length > 1 && <DragHandle onMove={(top) => drag(key, top)} onEnd={drop} />}
                  <strong>{name}</strong>
                  <span class="tools">
                    {blocks.length > 1 && (
                      <MoveButtons
                        name={name}
                        index={index}
                        count={blocks.length}
                        onMove={(to) => move(key, (from) => from + to - index)}
                      />
                    )}
                    <IconButton
                      icon="trash"
                      label={t("block.remove", { name })}
                      small
                      onClick={() => put(latest.current.filter((other) => keyOf(other) !== key))}
                    />
                  </span>
                </div>
                <BlockEditor
                  key={block.type}
                  block={block}
                  types={types}
                  noChanged
                  onChange={(next) => replace(key, next)}
                />
                <Nested
                  block={block}
                  pointer={`${pointer}/${index}`}
                  onChange={(next) => replace(key, next)}
                  {...shared}
                />
                {about?.(block, `${pointer}/${index}`)}
              </li>
            );
          })}
        </ul>
      )}
      <p class="sr-only" role="status">
        {announcement}
      </p>
      <AddBlock types={types} label={addLabel} onAdd={(block) => put([...latest.current, block])} />
    </div>
  );
}

/**
 * A key for each block that stays with it when it is moved, and with its replacement when it is edited: so unfinished
 * input stays with its block.
 */
function useKeys(): { keyOf: (block: Block) => number; inherit: (block: Block, key: number) => void } {
  const last = useRef(0);
  const keys = useRef(new WeakMap<Block, number>());
  const inherit = (block: Block, key: number): void => void keys.current.set(block, key);
  const keyOf = (block: Block): number => {
    const key = keys.current.get(block) ?? ++last.current;
    inherit(block, key);
    return key;
  };
  return { keyOf, inherit };
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

/** What must not hold: one condition, which another one can replace. */
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
