import { useId, useState, type ReactNode } from 'react';
import { useByIndex } from 'rx-informers/react';
import { useRovingFocus } from '../frame/focus.js';
import { splitPair } from '../pods/pod-filter.js';
import { useSecond } from '../text/age.js';
import { compareText, plainText } from '../text/text.js';
import type { FacetCount, FacetCounts } from './facet-counts.js';
import type { FacetName } from './facet-names.js';
import { FacetValue } from './facet-value.js';

interface FacetProps {
  readonly name: FacetName;
  readonly isTitleHidden?: boolean;
  readonly counts: FacetCounts;
  readonly totals: FacetCounts;
  readonly chosen: readonly string[] | undefined;
}

/**
 * The number of values of a closed facet, the maximum number of an open facet, and the number above
 * which an open facet has a search field.
 */
const few = 6;
const most = 100;
const searched = 8;

const none: readonly string[] = [];

/**
 * Renders the values of one facet, the values with most pods first. Values without pods within the
 * filter are dimmed and come last.
 */
export function Facet({ name, isTitleHidden = false, counts, totals, chosen = none }: FacetProps): ReactNode {
  const { facet, title } = name;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const within = new Map(useByIndex(counts, 'facet', facet).map(({ group, pods }) => [group, pods]));
  const values = useOrderedValues(useByIndex(totals, 'facet', facet), within, counts);
  const words = typed.toLowerCase().trim();
  const found = words === '' ? values : values.filter((value) => value.toLowerCase().includes(words));
  const limit = isOpen || words !== '' ? most : few;
  const first = found.slice(0, limit);
  // A chosen value stays visible, so that the user can remove it.
  const shown = [...first, ...chosen.filter((value) => !first.includes(value))];
  const { group, stop } = useRovingFocus(shown);
  if (values.length === 0 && chosen.length === 0) return null;
  return (
    <section className="facet" aria-labelledby={id}>
      <h2 id={id} className={isTitleHidden ? 'visually-hidden' : undefined}>
        {plainText(title, 60)}
      </h2>
      {isOpen && values.length > searched && (
        <input
          type="search"
          className="facet-search"
          aria-label={`Search in ${title}`}
          placeholder={`Search ${values.length}`}
          spellCheck={false}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
          }}
        />
      )}
      <ul {...group}>
        {shown.map((value) => (
          <li key={value}>
            <FacetValue
              facet={facet}
              value={value}
              pods={within.get(`${facet}=${value}`) ?? 0}
              isChosen={chosen.includes(value)}
              isStop={value === stop}
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
            setTyped('');
          }}
        >
          {isOpen ? 'Fewer' : `${values.length - few} more`}
        </button>
      )}
      {isOpen && found.length > most && <p className="fine">{found.length - most} more: type to find them</p>}
    </section>
  );
}

/**
 * Returns the values of a facet, those with most pods first. The order stays while counts change,
 * so that nothing moves under the pointer. Values are sorted again for another filter, when a value
 * appears or disappears, and twice a minute.
 */
function useOrderedValues(
  all: readonly FacetCount[],
  within: ReadonlyMap<string, number>,
  counts: FacetCounts,
): readonly string[] {
  const turn = useSecond((now) => Math.floor(now / 30_000));
  const [frozen, setFrozen] = useState<FrozenOrder>({ counts, turn, groups: new Set() });
  const isSame =
    frozen.counts === counts &&
    frozen.turn === turn &&
    frozen.groups.size === all.length &&
    all.every(({ group }) => frozen.groups.has(group));
  if (isSame) return [...frozen.groups].map(valueOf);
  const groups = new Set(
    all
      .map(({ group }) => ({ group, pods: within.get(group) ?? 0 }))
      .sort((a, b) => b.pods - a.pods || compareText(a.group, b.group))
      .map(({ group }) => group),
  );
  setFrozen({ counts, turn, groups });
  return [...groups].map(valueOf);
}

interface FrozenOrder {
  readonly counts: FacetCounts;
  readonly turn: number;
  readonly groups: ReadonlySet<string>;
}

function valueOf(group: string): string {
  return splitPair(group)[1];
}
