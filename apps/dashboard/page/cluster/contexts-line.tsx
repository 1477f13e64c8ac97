import { useState, type ReactNode } from 'react';
import type { SourceStatus } from 'rx-informers';
import { useStatus } from 'rx-informers/react';
import { useLiveSecond } from '../text/age.js';
import { countText, plainText } from '../text/text.js';
import { connectionOf, isAnswered, type Connection } from './connection.js';
import { useLiveNodes, useLivePods } from './informers.js';
import { UpdateRate } from './update-rate.js';

/**
 * Renders the state of several contexts: the number of live contexts, and for each other context
 * its name and its problem.
 */
export function ContextsLine({ names }: { readonly names: readonly string[] }): ReactNode {
  const pods = useLivePods();
  const nodes = useLiveNodes();
  const ofPods = useStatus(pods).members ?? {};
  const ofNodes = useStatus(nodes).members ?? {};
  const now = useLiveSecond((second) => second);
  const connections = useSettledAll(names.map((name) => [name, [ofPods[name], ofNodes[name]]]));
  const others = connections
    .map(([name, status]) => [name, connectionAt(status, now)] as const)
    .filter(([, { tone }]) => tone !== 'live');
  const live = names.length - others.length;
  const isTroubled = others.some(([, { tone }]) => tone === 'trouble');
  return (
    <div className={`connection-line contexts-line ${live > 0 ? 'live' : 'reconnecting'}`}>
      {live > 0 && <UpdateRate informer={pods} />}
      {live > 0 && <span className="dot" aria-hidden="true" />}
      {live > 0 && (
        <span role="status">
          {others.length === 0 ? 'live' : `${countText(live)} of ${countText(names.length)} live`}
        </span>
      )}
      {others.length > 0 && (
        <ul className="context-states" aria-label="Contexts that are not live" role="status">
          {others.map(([name, { tone, text, countdown, detail }]) => (
            <li key={name} className={tone} title={plainText(detail ?? '', 600)}>
              <strong>{plainText(name, 40)}</strong> {text}
              {countdown !== undefined && (
                <span className="fine" aria-hidden="true">
                  {' '}
                  {countdown}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {isTroubled && (
        <button
          type="button"
          className="action"
          onClick={() => {
            pods.recheck();
            nodes.recheck();
          }}
        >
          Try now
        </button>
      )}
    </div>
  );
}

type NamedStatus = readonly [name: string, status: SourceStatus | undefined];

function connectionAt(status: SourceStatus | undefined, now: number): Connection {
  return status === undefined ? { tone: 'busy', text: 'connecting' } : connectionOf(status, now);
}

/**
 * Returns the status to display for each context: the worse status of its pods and nodes. A failure
 * stays until both have answered.
 */
function useSettledAll(
  statuses: readonly (readonly [string, readonly (SourceStatus | undefined)[]])[],
): readonly NamedStatus[] {
  const [troubles, setTroubles] = useState<Readonly<Record<string, SourceStatus>>>({});
  const settled = statuses.map(([name, ofKinds]): NamedStatus => {
    const trouble = ofKinds.find((status) => toneOf(status) === 'trouble');
    if (trouble !== undefined) return [name, trouble];
    const waiting = ofKinds.find((status) => status === undefined || !isAnswered(status));
    const isWaiting = ofKinds.some((status) => status === undefined || !isAnswered(status));
    if (isWaiting && troubles[name] !== undefined) return [name, troubles[name]];
    return [name, isWaiting ? waiting : (ofKinds.find((status) => toneOf(status) !== 'live') ?? ofKinds[0])];
  });
  const next = Object.fromEntries(
    settled.flatMap(([name, status]) => (status !== undefined && toneOf(status) === 'trouble' ? [[name, status]] : [])),
  );
  const isSame =
    Object.keys(next).length === Object.keys(troubles).length &&
    Object.entries(next).every(([name, status]) => troubles[name] === status);
  if (!isSame) setTroubles(next);
  return settled;
}

function toneOf(status: SourceStatus | undefined): Connection['tone'] {
  return connectionAt(status, 0).tone;
}
