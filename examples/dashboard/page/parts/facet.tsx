import { useId, useState, type ReactNode } from 'react';
import { useRovingFocus } from '../hooks/use-roving-focus.js';
import { plainText } from '../model/plain-text.js';
import type { PodIndex } from '../model/pod-filter.js';
import { FacetValue } from './facet-value.js';

interface FacetProps {
  readonly title: string;
  readonly index: PodIndex;
  readonly values: readonly string[];
  readonly textOf?: (value: string) => string;
  readonly chosen: string | undefined;
  readonly onToggle: (index: PodIndex, value: string) => void;
}

/** Values shown before one asks for more, and at most. */
const few = 8;
const most = 200;

export function Facet({ title, index, values, textOf = identity, chosen, onToggle }: FacetProps): ReactNode {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const shown = values.slice(0, isOpen ? most : few);
  // What is chosen stays in sight, so that it can be taken back.
  const withChosen =
    chosen !== undefined && values.includes(chosen) && !shown.includes(chosen) ? [...shown, chosen] : shown;
  const { group, stop } = useRovingFocus(withChosen);
  if (values.length === 0) return null;
  return (
    <section className="facet" aria-labelledby={id}>
      <h2 id={id} title={plainText(title)}>
        {plainText(title, 60)}
      </h2>
      <ul {...group}>
        {withChosen.map((value) => (
          <li key={value}>
            <FacetValue
              index={index}
              value={value}
              text={textOf(value)}
              isChosen={value === chosen}
              isStop={value === stop}
              onToggle={onToggle}
            />
          </li>
        ))}
      </ul>
      {values.length > few && (
        <button
          type="button"
          className="more"
          aria-expanded={isOpen}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          {isOpen ? 'Fewer' : `${values.length - few} more`}
        </button>
      )}
      {isOpen && values.length > most && <p className="fine">{values.length - most} are not shown</p>}
    </section>
  );
}

function identity(value: string): string {
  return value;
}
