import { t } from "../i18n/translate.js";
import { type Block, BlockEditor, type BlockType } from "./block-editor.js";
import { SelectField } from "./field.js";
import { Icon } from "./icon.js";

/** Blocks in order, with one to add at the end; groups hold lists of their own. `addLabel` stands on the adding choice. */
export function BlockList({
  blocks,
  types,
  addLabel,
  onChange,
}: {
  blocks: readonly Block[];
  types: readonly BlockType[];
  addLabel: string;
  onChange: (blocks: Block[]) => void;
}) {
  const replace = (index: number, next: Block): void => onChange(blocks.map((block, at) => (at === index ? next : block)));
  return (
    <div class="stack">
      {blocks.map((block, index) => (
        <div class="block" key={index}>
          <div class="row between">
            <strong>{t(types.find((type) => type.type === block.type)?.label ?? "block.unknown")}</strong>
            <span class="row">
              {index > 0 && (
                <button type="button" class="button plain" onClick={() => onChange(move(blocks, index))}>
                  {t("block.up")}
                </button>
              )}
              <button
                type="button"
                class="button plain icon-only"
                aria-label={t("block.remove")}
                onClick={() => onChange(blocks.filter((_, at) => at !== index))}
              >
                <Icon name="trash" small />
              </button>
            </span>
          </div>
          <BlockEditor block={block} types={types} noChanged onChange={(next) => replace(index, next)} />
          <Nested block={block} types={types} addLabel={addLabel} onChange={(next) => replace(index, next)} />
        </div>
      ))}
      <AddBlock types={types} label={addLabel} onAdd={(block) => onChange([...blocks, block])} />
    </div>
  );
}

function Nested({ block, types, addLabel, onChange }: { block: Block; types: readonly BlockType[]; addLabel: string; onChange: (block: Block) => void }) {
  const inner = Array.isArray(block.conditions) ? "conditions" : Array.isArray(block.actions) ? "actions" : null;
  if (inner !== null)
    return <BlockList blocks={block[inner] as Block[]} types={types} addLabel={addLabel} onChange={(blocks) => onChange({ ...block, [inner]: blocks })} />; // made by this editor or checked by the hub
  if (block.type !== "not") return null;
  return (
    <BlockList
      blocks={[block.condition as Block]}
      types={types}
      addLabel={addLabel}
      onChange={(blocks) => onChange({ ...block, condition: blocks.at(-1) ?? block.condition })}
    />
  );
}

function AddBlock({ types, label, onAdd }: { types: readonly BlockType[]; label: string; onAdd: (block: Block) => void }) {
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

function move(blocks: readonly Block[], index: number): Block[] {
  const next = [...blocks];
  const [moved] = next.splice(index, 1);
  if (moved !== undefined) next.splice(index - 1, 0, moved);
  return next;
}
