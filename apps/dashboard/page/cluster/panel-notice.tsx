import type { ReactNode } from 'react';
import type { Collection, SourceStatus } from 'rx-informers';
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
  const refused = refusedMembers(status);
  if (refused.length > 0) return <RefusedMembers refused={refused} what={what} />;
  if (settled.state === 'forbidden' || settled.state === 'not-found') {
    const { text, hint } = connectionOf(settled, 0);
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

/**
 * Returns the contexts in which the kind does not exist or may not be read, if several contexts are
 * shown. The page shows the remaining contexts.
 */
function refusedMembers({ members = {} }: SourceStatus): readonly (readonly [context: string, status: SourceStatus])[] {
  const all = Object.entries(members);
  if (all.length < 2) return [];
  return all.filter(([, { state }]) => state === 'forbidden' || state === 'not-found');
}

interface RefusedMembersProps {
  readonly refused: ReturnType<typeof refusedMembers>;
  readonly what: string;
}

function RefusedMembers({ refused, what }: RefusedMembersProps): ReactNode {
  return (
    <ul className="notice" role="alert">
      {refused.map(([context, status]) => {
        const { text, detail } = connectionOf(status, 0);
        return (
          <li key={context} title={plainText(detail ?? '', 600)}>
            <strong>
              {what} of {plainText(context, 60)}: {text}.
            </strong>{' '}
            The other contexts are shown.
          </li>
        );
      })}
    </ul>
  );
}
