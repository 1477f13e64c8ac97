import { memo, type ReactNode } from 'react';
import { go } from '../address/use-page-address.js';
import { splitWorkload, toggled } from '../pods/pod-filter.js';
import { plainText } from '../text/text.js';

interface FacetValueProps {
  readonly facet: string;
  readonly value: string;
  /** The number of pods with this value, among the pods that the rest of the filter selects. */
  readonly pods: number;
  readonly isChosen: boolean;
  readonly isStop: boolean;
}

/**
 * Renders one value of a facet with the number of its pods. Renders again only when its props
 * change.
 */
export const FacetValue = memo(function FacetValue(props: FacetValueProps): ReactNode {
  const { facet, value, pods, isChosen, isStop } = props;
  return (
    <button
      type="button"
      className={pods === 0 ? 'facet-value no-pods' : 'facet-value'}
      aria-pressed={isChosen}
      data-roving={value}
      tabIndex={isStop ? 0 : -1}
      title={plainText(value)}
      onClick={() => {
        go(({ filter }) => ({ filter: toggled(filter, facet, value) }));
      }}
    >
      <span className="facet-text">{plainText(valueText(facet, value), 80)}</span>
      <span className="count">{pods}</span>
    </button>
  );
});

/** Returns the text for a value of a facet: `web · shop` for the workload `Deployment/shop/web`. */
export function valueText(facet: string, value: string): string {
  if (facet === 'owner') {
    const { namespace, name } = splitWorkload(value);
    return `${name} · ${namespace}`;
  }
  if (value === '') return facet === 'node' ? 'not scheduled' : 'empty';
  return value;
}
