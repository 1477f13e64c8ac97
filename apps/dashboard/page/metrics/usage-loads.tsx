import type { ReactNode } from 'react';
import { Age } from '../text/age.js';
import type { Measured } from './measured.js';
import {
  amountNames,
  amountText,
  boundWord,
  shareOf,
  usageTone,
  type Amounts,
  type AmountName,
  type Bound,
} from './usage.js';

interface UsageLoadsProps {
  readonly usage: Amounts;
  readonly boundOf: (name: AmountName) => Bound | undefined;
}

/**
 * Renders CPU and memory as lines with bars: the usage compared with the request, or with the
 * available amount.
 */
export function UsageLoads({ usage, boundOf }: UsageLoadsProps): ReactNode {
  return (
    <ul className="loads">
      {amountNames.map((name) => (
        <UsageLoad key={name} name={name} amount={usage[name]} bound={boundOf(name)} />
      ))}
    </ul>
  );
}

interface UsageLoadProps {
  readonly name: AmountName;
  readonly amount: number;
  readonly bound: Bound | undefined;
}

function UsageLoad({ name, amount, bound }: UsageLoadProps): ReactNode {
  const share = shareOf(amount, bound);
  return (
    <li>
      <span className="load-name">{name}</span>
      <span className={share === undefined ? undefined : `load-bar ${usageTone(share, bound)}`} aria-hidden="true">
        {share !== undefined && <span style={{ inlineSize: `${Math.min(100, share * 100)}%` }} />}
      </span>
      <span className="load-text">
        {amountText(name, amount)}
        {bound !== undefined && share !== undefined && (
          <>
            {` of ${amountText(name, bound.amount)} ${boundWord(bound)} `}
            <span className="fine">{Math.round(share * 100)} %</span>
          </>
        )}
      </span>
    </li>
  );
}

interface MeasuredAgoProps {
  readonly measuredAt: string | undefined;
  readonly measured: Measured;
}

/** Renders the age of the figures, and whether newer ones cannot be read. */
export function MeasuredAgo({ measuredAt, measured: { isFailing } }: MeasuredAgoProps): ReactNode {
  return (
    <p className="fine">
      {measuredAt !== undefined && (
        <>
          measured <Age since={measuredAt} /> ago
        </>
      )}
      {isFailing && '; metrics.k8s.io does not respond; retrying'}
    </p>
  );
}
