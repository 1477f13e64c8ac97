import { lazy, Suspense, type ReactNode } from 'react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { facetName } from '../facets/facet-names.js';
import { valueText } from '../facets/facet-value.js';
import { useIsWithoutSide } from '../frame/narrow.js';
import { plainText } from '../text/text.js';
import { typedOf } from '../text/typed.js';
import { isFiltering, noFilter, toggled } from './pod-filter.js';

const FacetSheet = lazy(async () => ({ default: (await import('../facets/facet-sheet.js')).FacetSheet }));

interface FilterBarProps {
  /** The fields in which typed words are searched: `name, node, status`. */
  readonly fields: string;
}

/**
 * Renders the field for words and labels, and the chosen values of all facets. The user can remove a value here.
 */
export function FilterBar({ fields }: FilterBarProps): ReactNode {
  const { filter } = usePageAddress();
  const { problem } = typedOf(filter.text);
  const isWithoutSide = useIsWithoutSide();
  const chosen = Object.entries(filter.chosen).flatMap(([facet, values]) => values.map((value) => ({ facet, value })));
  return (
    <div className="filter-bar" role="search">
      {isWithoutSide && (
        <Suspense fallback={<span className="facet-bar" />}>
          <FacetSheet />
        </Suspense>
      )}
      {chosen.map(({ facet, value }) => (
        <Chip
          key={`${facet} ${value}`}
          facet={facet}
          value={value}
          onRemove={() => {
            go({ filter: toggled(filter, facet, value) });
          }}
        />
      ))}
      {isFiltering(filter) && (
        <button
          type="button"
          className="action"
          onClick={() => {
            go({ filter: noFilter });
          }}
        >
          Clear all
        </button>
      )}
      <input
        id="pod-filter"
        type="search"
        aria-label={`Filter by ${fields}`}
        placeholder={`Filter by ${fields}`}
        title="Words, or labels as for kubectl -l: component=worker"
        aria-invalid={problem !== undefined}
        aria-describedby="filter-problem"
        spellCheck={false}
        value={filter.text}
        onChange={({ target }) => {
          go({ filter: { ...filter, text: target.value } }, { replace: true });
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || filter.text === '') return;
          event.preventDefault();
          go({ filter: { ...filter, text: '' } }, { replace: true });
        }}
      />
      <span id="filter-problem" className="filter-problem" role="status">
        {problem !== undefined && `${plainText(problem)}. Nothing is filtered by it.`}
      </span>
    </div>
  );
}

interface ChipProps {
  readonly facet: string;
  readonly value: string;
  readonly onRemove: () => void;
}

const troubleTexts: Readonly<Record<string, string>> = {
  failing: 'failing',
  pending: 'pending > 1 min',
  unready: 'not ready > 1 min',
  restarts: 'restarted < 10 min',
};

function Chip({ facet, value, onRemove }: ChipProps): ReactNode {
  const title = facet === 'trouble' ? 'Trouble' : plainText(facetName(facet).title, 80);
  const text = facet === 'trouble' ? (troubleTexts[value] ?? value) : valueText(facet, value);
  const shown = plainText(text, 80);
  return (
    <button
      type="button"
      className="chip"
      title={plainText(`${facet.replace(/^label\./, '')} = ${value}`)}
      aria-label={`Remove the filter ${title} ${shown}`}
      onClick={onRemove}
    >
      <span className="fine">{title}</span> {shown} <span aria-hidden="true">×</span>
    </button>
  );
}
