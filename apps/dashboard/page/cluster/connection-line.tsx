import { useEffect, useId, useState, type ReactNode } from 'react';
import { useHasSynced, useStatus } from 'rx-informers/react';
import { apiBaseOf } from '../address/api-base.js';
import { durationText, useLiveSecond } from '../text/age.js';
import { plainText } from '../text/text.js';
import { useClusterInfo } from './cluster.js';
import { connectionOf, stalenessText, useLostAt } from './connection.js';
import { culpritOf, culpritOfStatus, type Culprit, type Health } from './health.js';
import { useLiveNodes, useLivePods } from './informers.js';
import { UpdateRate } from './update-rate.js';
import { useHealth, useWatched } from './use-health.js';

/**
 * Renders the state of the connection: `live · heard 3 s ago`, or one sentence about the problem
 * with a button that retries now. The line has its own place beside the views, so nothing moves
 * when its text changes.
 */
export function ConnectionLine(): ReactNode {
  const pods = useLivePods();
  const nodes = useLiveNodes();
  const health = useHealth(pods, nodes);
  const { silence } = useWatched(pods);
  // After the machine slept, the connection is replaced without an error. No error then contains
  // the length of the silence, so it is passed here.
  const { kindsOfHub } = useClusterInfo();
  const lostAt = useLostAt(useStatus(pods), useHasSynced(pods), useLiveSecond(identity), silence);
  const tryNow = (): void => {
    pods.recheck();
    nodes.recheck();
  };
  if (health.state === 'lost' || health.state === 'silent') {
    return <ConnectionBar health={health} lostAt={lostAt} onTry={tryNow} />;
  }
  return (
    <span className={`connection-line ${health.state}`} title={kindsOfHub.length > 0 ? throughHub : undefined}>
      {health.state === 'live' && <UpdateRate informer={pods} />}
      <span className="dot" aria-hidden="true" />
      <span role="status">{textOf(health)}</span>
      <span className="fine heard" aria-hidden="true">
        {health.state === 'live' && health.silence !== undefined && `heard ${durationText(health.silence)} ago`}
        {health.state === 'reconnecting' && lostAt !== undefined && <Staleness lostAt={lostAt} />}
      </span>
    </span>
  );
}

const throughHub =
  'This page reads through the hub of its server: one watch a kind for all viewers. You receive only what you may read yourself.';

function identity(now: number): number {
  return now;
}

function textOf(health: Health): string {
  switch (health.state) {
    case 'live':
      return 'live';
    case 'loading':
      // The panel with the rows shows the progress.
      return health.status === undefined ? 'connecting' : 'loading';
    case 'refused':
      return health.isExpired ? 'expired credentials' : 'no permission';
    case 'reconnecting':
    case 'lost':
    case 'silent':
      return 'reconnecting';
  }
  return health satisfies never;
}

function Staleness({ lostAt }: { readonly lostAt: number }): ReactNode {
  return useLiveSecond((now) => stalenessText(lostAt, now) ?? '');
}

interface ConnectionBarProps {
  readonly health: Extract<Health, { readonly state: 'lost' | 'silent' }>;
  readonly lostAt: number | undefined;
  readonly onTry: () => void;
}

/**
 * Renders the notice of a lost connection. Names the server that does not answer, and the time of
 * the next attempt.
 */
function ConnectionBar({ health, lostAt, onTry }: ConnectionBarProps): ReactNode {
  const id = useId();
  const cause = health.state === 'lost' ? health.status.cause : undefined;
  const found = useCulprit();
  const culprit = (cause && culpritOf(cause)) ?? found;
  const until = health.state === 'lost' ? health.status.until : undefined;
  const retry = useLiveSecond((now) => (until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 1000))));
  return (
    <div className="connection-line lost">
      <span className="dot" aria-hidden="true" />
      <span className="lost-words">
        <span role="alert">
          <Diagnosis health={health} culprit={culprit} />
        </span>{' '}
        <span aria-hidden="true">
          {lostAt !== undefined && (
            <>
              Data <Staleness lostAt={lostAt} />.{' '}
            </>
          )}
          {retry > 0 ? `Retrying in ${retry} s.` : 'Retrying…'}
        </span>
      </span>
      <button type="button" className="action" onClick={onTry}>
        Try now
      </button>
      {cause !== undefined && (
        <span className="menu-place">
          <button type="button" className="action" popoverTarget={id}>
            Details
          </button>
          <div id={id} popover="auto" className="menu connection-details">
            {plainText(connectionOf(health.state === 'lost' ? health.status : { state: 'stopped' }).detail ?? '', 600)}
          </div>
        </span>
      )}
    </div>
  );
}

interface DiagnosisProps {
  readonly health: ConnectionBarProps['health'];
  readonly culprit: Culprit | undefined;
}

function Diagnosis({ health, culprit }: DiagnosisProps): ReactNode {
  const { context, demo } = useClusterInfo();
  if (culprit === 'server') {
    const [what, command] =
      context === undefined && !demo
        ? (['The server of this page', 'kubectl proxy'] as const)
        : (['The dashboard’s server', 'npm run dashboard'] as const);
    return (
      <>
        {what} does not respond. Is <code>{command}</code> still running?
      </>
    );
  }
  if (culprit === 'cluster') return 'The cluster does not respond, but the server of this page does.';
  if (health.state === 'silent') return `No data received for ${durationText(health.silence)}.`;
  return 'The connection is lost.';
}

/** Milliseconds between two checks for the unreachable server, and the timeout of a check. */
const probeEvery = 3000;
const maxAnswerTime = 4000;

/** Returns the server that does not answer. Finds it with a request to the page's own server. */
function useCulprit(): Culprit | undefined {
  const [culprit, setCulprit] = useState<Culprit>();
  useEffect(() => {
    let isGone = false;
    const probe = async (): Promise<void> => {
      const found = await answers(`${apiBaseOf(location.search)}/version`);
      if (!isGone) setCulprit(found);
    };
    void probe();
    const timer = setInterval(() => void probe(), probeEvery);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, []);
  return culprit;
}

async function answers(path: string): Promise<Culprit | undefined> {
  if (typeof fetch === 'undefined') return undefined;
  try {
    const { status } = await fetch(path, { signal: AbortSignal.timeout(maxAnswerTime), cache: 'no-store' });
    return culpritOfStatus(status);
  } catch {
    return 'server';
  }
}
