import type { ReactNode } from 'react';
import type { Collection } from 'rx-informers';
import { useHasSynced, useStatus } from 'rx-informers/react';
import { countText, plainText } from '../text/text.js';
import { answerTo, connectionOf, useSettled } from './connection.js';

interface PanelNoticeProps<T, I extends string> {
  readonly informer: Collection<T, I>;
  /** The objects that are shown before the list of the kind is complete. */
  readonly arriving?: Collection<T> | undefined;
  readonly what: string;
  /** An action for the user if a permission is missing. */
  readonly children?: ReactNode;
}

/**
 * Renders a notice if a kind is not installed or the user may not read it, and the progress while
 * it loads. `ConnectionLine` reports a lost connection once for the whole page.
 */
export function PanelNotice<T, I extends string>({
  informer,
  arriving,
  what,
  children,
}: PanelNoticeProps<T, I>): ReactNode {
  const status = useStatus(informer);
  const arrived = useStatus(arriving);
  const hasSynced = useHasSynced(informer);
  const settled = useSettled(status);
  if (settled.state === 'forbidden' || settled.state === 'not-found') {
    const { text, hint } = connectionOf(settled);
    const answer = answerTo(settled);
    return (
      <div className="notice" role="alert">
        <strong>
          {what}: {text}.
        </strong>{' '}
        {hint !== undefined && `${hint} `}
        {hasSynced && 'The data shown may be out of date. '}
        {answer !== undefined && <div className="notice-detail">The API server says: {plainText(answer)}</div>}
        {children}
      </div>
    );
  }
  if (hasSynced || status.state === 'watching' || settled.state === 'backing-off') return null;
  const listing = status.state === 'listing' && status.received > 0 ? status : undefined;
  const first = arrived.state === 'listing' ? arrived : undefined;
  const received = Math.max(listing?.received ?? 0, first?.received ?? 0);
  const expected = listing?.expected ?? first?.expected;
  return (
    <p className="fine pending-notice passing">
      Loading {what}
      {received === 0 ? '…' : `: ${countText(received)}${expectedText(listing?.expected, first?.expected)}`}
      {expected !== undefined && <progress value={received} max={expected} aria-label={`Loading ${what}`} />}
    </p>
  );
}

/**
 * Returns the expected number of objects. A number from the first page of another list is only
 * approximate, so the text contains "about".
 */
function expectedText(own: number | undefined, other: number | undefined): string {
  if (own !== undefined) return ` of ${countText(own)}`;
  return other === undefined ? '' : ` of about ${countText(other)}`;
}
