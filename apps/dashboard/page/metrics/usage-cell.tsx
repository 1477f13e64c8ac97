import type { ReactNode } from 'react';
import { amountText, shareOf, usageText, usageTone, type AmountName, type Bound } from './usage.js';

interface UsageCellProps {
  readonly name: AmountName;
  readonly amount: number | undefined;
  readonly bound: Bound | undefined;
}

/** Renders an amount in a table, over a line that shows its share of the bound. */
export function UsageCell({ name, amount, bound }: UsageCellProps): ReactNode {
  if (amount === undefined) return <span className="fine">–</span>;
  const share = shareOf(amount, bound);
  return (
    <span className="usage" title={usageText(name, amount, bound)}>
      {amountText(name, amount)}
      {share !== undefined && <UsageBar share={share} tone={usageTone(share, bound)} />}
    </span>
  );
}

interface UsageBarProps {
  readonly share: number;
  readonly tone: string;
}

/** Renders a thin line that is filled up to a share. */
function UsageBar({ share, tone }: UsageBarProps): ReactNode {
  return (
    <span className={`usage-bar ${tone}`} aria-hidden="true">
      <span style={{ inlineSize: `${Math.min(100, share * 100)}%` }} />
    </span>
  );
}
