import { memo, type ReactNode } from 'react';
import { useObject } from 'rx-informers/react';
import { usePodCounts } from '../cluster/pod-counts.js';
import { plainText } from '../model/plain-text.js';
import type { PodIndex } from '../model/pod-filter.js';

interface FacetValueProps {
  readonly index: PodIndex;
  readonly value: string;
  readonly text: string;
  readonly isChosen: boolean;
  readonly isStop: boolean;
  readonly onToggle: (index: PodIndex, value: string) => void;
}

/** One value and how many pods have it; renders again only where the count is another one. */
export const FacetValue = memo(function FacetValue(props: FacetValueProps): ReactNode {
  const { index, value, text, isChosen, isStop, onToggle } = props;
  const pods = useObject(usePodCounts()[index], value)?.pods ?? 0;
  return (
    <button
      type="button"
      className="facet-value"
      aria-pressed={isChosen}
      data-roving={value}
      tabIndex={isStop ? 0 : -1}
      onClick={() => {
        onToggle(index, value);
      }}
    >
      <span className="facet-text" title={plainText(text)}>
        {text === '' ? <i>empty</i> : plainText(text, 80)}
      </span>
      <span className="count">{pods}</span>
    </button>
  );
});
