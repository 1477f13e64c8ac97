import type { ReactNode } from 'react';
import { plainText } from '../model/plain-text.js';
import type { FilterAction, PodFilter, PodIndex } from '../model/pod-filter.js';

interface FilterBarProps {
  readonly filter: PodFilter;
  readonly onFilter: (action: FilterAction) => void;
}

const indexes: readonly PodIndex[] = ['namespace', 'label', 'node'];

/** What is typed, and what is chosen elsewhere, to be taken back here. */
export function FilterBar({ filter, onFilter }: FilterBarProps): ReactNode {
  const chosen = indexes.flatMap((index) => {
    const value = filter.chosen[index];
    return value === undefined ? [] : [{ index, value }];
  });
  return (
    <div className="filter-bar" role="search">
      {chosen.map(({ index, value }) => (
        <button
          key={index}
          type="button"
          className="chip"
          aria-label={`Remove the filter ${index} ${plainText(value, 80)}`}
          onClick={() => {
            onFilter({ type: 'toggle', index, value });
          }}
        >
          <span className="fine">{index}</span> {value === '' ? 'none' : plainText(value, 80)}{' '}
          <span aria-hidden="true">×</span>
        </button>
      ))}
      <input
        type="search"
        aria-label="Filter pods by name, node, status or address"
        placeholder="Filter by name, node, status, address"
        spellCheck={false}
        value={filter.text}
        onChange={({ target }) => {
          onFilter({ type: 'type', text: target.value });
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || filter.text === '') return;
          event.preventDefault();
          onFilter({ type: 'type', text: '' });
        }}
      />
    </div>
  );
}
