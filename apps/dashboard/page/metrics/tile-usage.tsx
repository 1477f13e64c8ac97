import type { ReactNode } from 'react';
import { useObject } from 'rx-informers/react';
import { useNodes } from '../cluster/informers.js';
import { UsageBar } from './usage-cell.js';
import { allocatableOf, amountNames, shareOf, usageText, usageTone } from './usage.js';
import { useMeasured } from './use-measured.js';

/** Renders a node's usage of its CPU and memory as two lines at the foot of its tile. */
export function TileUsage({ name }: { readonly name: string }): ReactNode {
  const node = useObject(useNodes(), name);
  const measured = useMeasured('nodes');
  const usage = node && measured.of(node);
  if (node === undefined || usage === undefined) return null;
  const lines = amountNames.map((amount) => {
    const bound = allocatableOf(amount, node);
    return { amount, bound, share: shareOf(usage[amount], bound) };
  });
  const text = lines.map(({ amount, bound }) => usageText(amount, usage[amount], bound)).join('\n');
  return (
    <span className="tile-usage" title={text}>
      {lines.map(
        ({ amount, bound, share }) =>
          share !== undefined && <UsageBar key={amount} share={share} tone={usageTone(share, bound)} />,
      )}
    </span>
  );
}
