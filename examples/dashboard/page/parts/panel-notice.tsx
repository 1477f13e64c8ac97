import type { ReactNode } from 'react';
import type { Informer } from 'rx-informers';
import { useHasSynced, useStatus } from 'rx-informers/react';
import { useConnection } from '../hooks/use-connection.js';
import { plainText } from '../model/plain-text.js';

interface PanelNoticeProps<T, I extends string> {
  readonly informer: Informer<T, I>;
  readonly what: string;
}

/** Says in the panel of a kind what keeps it from being shown; nothing while all is well. */
export function PanelNotice<T, I extends string>({ informer, what }: PanelNoticeProps<T, I>): ReactNode {
  const status = useStatus(informer);
  const hasSynced = useHasSynced(informer);
  const { tone, text, hint, detail } = useConnection(status, 0);
  if (tone !== 'trouble') return hasSynced ? null : <p className="fine pending-notice">Loading {what}…</p>;
  return (
    <div className="notice" role="alert">
      <strong>
        {what}: {text}.
      </strong>{' '}
      {hint !== undefined && `${hint} `}
      {hasSynced && 'What is shown may be out of date. '}It is tried again by itself.
      {detail !== undefined && <div className="notice-detail">{plainText(detail)}</div>}
    </div>
  );
}
