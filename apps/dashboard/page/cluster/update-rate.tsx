import { useEffect, useState, type ReactNode } from 'react';
import type { Collection } from 'rx-informers';
import { bufferTime, filter, map, scan } from 'rxjs';
import { countText } from '../text/text.js';

/** The number of seconds in the chart. */
const seconds = 40;
const height = 14;
const step = 2;

/**
 * Renders the updates per second of the last forty seconds, so that the user can see that the page
 * is live.
 */
export function UpdateRate<T, I extends string>({ informer }: { readonly informer: Collection<T, I> }): ReactNode {
  const rates = useRates(informer);
  const most = Math.max(10, ...rates);
  const points = rates.map((rate, at) => `${(seconds - rates.length + at) * step},${height - (rate / most) * height}`);
  const latest = rates.at(-1) ?? 0;
  return (
    <span className="update-rate" aria-hidden="true" title="Updates of pods each second, for the last 40 seconds">
      <span className="fine">{countText(latest)}/s</span>
      <svg width={seconds * step} height={height + 2} viewBox={`0 -1 ${seconds * step} ${height + 2}`}>
        {points.length > 1 && <polyline points={points.join(' ')} />}
      </svg>
    </span>
  );
}

const none: readonly number[] = [];

function useRates<T, I extends string>(informer: Collection<T, I>): readonly number[] {
  const [rates, setRates] = useState(none);
  useEffect(() => {
    const following = informer.changes$
      .pipe(
        filter(({ reason }) => reason !== 'initial'),
        map(({ changes }) => changes.length),
        bufferTime(1000),
        map((counts) => counts.reduce((sum, count) => sum + count, 0)),
        scan((before, rate) => [...before.slice(1 - seconds), rate], none),
      )
      .subscribe(setRates);
    return () => {
      following.unsubscribe();
    };
  }, [informer]);
  return rates;
}
