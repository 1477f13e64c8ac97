import type { ReactNode } from 'react';
import type { Informer } from 'rx-informers';
import { useHasSynced, useStatus } from 'rx-informers/react';
import { useConnection } from '../hooks/use-connection.js';
import { useLostAt } from '../hooks/use-lost-at.js';
import { useSecond } from '../hooks/use-second.js';
import { stalenessText } from '../model/connection.js';
import { plainText } from '../model/plain-text.js';

interface ConnectionStatusProps<T, I extends string> {
  readonly informer: Informer<T, I>;
  readonly what: string;
}

/** Whether what is shown of a kind is live, how old it may be, and when it is tried again. */
export function ConnectionStatus<T, I extends string>({ informer, what }: ConnectionStatusProps<T, I>): ReactNode {
  const status = useStatus(informer);
  const hasSynced = useHasSynced(informer);
  const lostAt = useLostAt(status, hasSynced);
  const now = useSecond(identity);
  const { tone, text, countdown, detail } = useConnection(status, now);
  return (
    <span className={`connection ${tone}`} title={detail === undefined ? undefined : plainText(detail)}>
      <span className="dot" aria-hidden="true" />
      <span role="status">
        {what}: {text}
      </span>
      {/* Not read out: it is another one each second. */}
      <span className="fine" aria-hidden="true">
        {[lostAt === undefined ? undefined : stalenessText(lostAt, now), countdown].filter(Boolean).join(', ')}
      </span>
    </span>
  );
}

function identity(now: number): number {
  return now;
}
