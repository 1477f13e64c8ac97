import { useMemo, useState, type ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import { useHasSynced, useWindow } from 'rx-informers/react';
import { podResource } from '../address/page-address.js';
import { PageLink, usePageAddress } from '../address/use-page-address.js';
import { usePods } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { FilterBar } from '../pods/filter-bar.js';
import { usePodEntries, type PodEntry } from '../pods/pod-entries.js';
import { filterPredicate } from '../pods/pod-filter.js';
import { middleCut } from '../text/middle-cut.js';
import { useSteady } from '../text/steady.js';
import { plainText } from '../text/text.js';
import { sourceOf, type FollowedLogs } from './followed-logs.js';
import { LogPanel } from './log-panel.js';
import { containerNames, mainContainer, useLogSettings } from './log-settings.js';
import { withModes, type LogCapacity, type LogTarget } from './log-targets.js';
import { logCapacity, useFollowedLogs } from './use-followed-logs.js';

const oldestFirst = [{ value: ({ pod }: PodEntry) => pod.metadata.creationTimestamp, direction: 'ascending' as const }];

/**
 * Renders the logs of the pods that the filter selects. When a pod is added, its log starts. When a
 * pod is removed, its log ends.
 */
export function LogsView(): ReactNode {
  const { filter } = usePageAddress();
  const [capacity] = useState(logCapacity);
  const pods = usePods();
  const entries = usePodEntries();
  const hasSynced = useHasSynced(entries);
  const where = useMemo(() => filterPredicate(filter), [filter]);
  const limit = capacity.streams + capacity.polls;
  const { rows, total } = useWindow(entries, { where, sortBy: oldestFirst, limit });
  return (
    <section className="panel logs" aria-labelledby="logs-title">
      <div className="panel-head">
        <h2 id="logs-title">
          Logs <span className="count">{hasSynced ? total : '–'}</span>
        </h2>
        <FilterBar fields="name, node, status, address" />
      </div>
      <PanelNotice informer={pods} what="pods" />
      <LogsOfPods
        pods={rows.map(({ pod }) => pod)}
        total={total}
        capacity={capacity}
        fileName="pods.log"
        none={hasSynced ? 'No pods match the filter.' : 'The pods are not known yet.'}
        hint="Narrow the filter to follow all."
      />
    </section>
  );
}

interface LogsOfPodsProps {
  /** The first pods, as many as can be followed. */
  readonly pods: readonly Pod[];
  /** The number of all pods. */
  readonly total: number;
  readonly capacity: LogCapacity;
  readonly fileName: string;
  /** The text if there are no pods. */
  readonly none: string;
  /** What to do if not all pods can be followed. */
  readonly hint: string;
}

/** Renders the logs of several pods in one list, and follows them. */
export function LogsOfPods({ pods, total, capacity, fileName, none, hint }: LogsOfPodsProps): ReactNode {
  const { container, tail, previous } = useLogSettings();
  const containers = [...new Set(pods.flatMap(containerNames))].sort();
  // The pods change all the time, while the followed logs rarely change.
  const targets = useSteady(
    withModes(
      pods.flatMap((pod) => targetOf(pod, container)),
      capacity,
    ),
  );
  const logs = useFollowedLogs(targets, { tail, previous });
  const nameOf = useMemo(() => namesOf(targets), [targets]);
  const streams = targets.filter(({ mode }) => mode === 'stream').length;
  return (
    <>
      <FollowedText followed={targets.length} streams={streams} total={total} hint={hint} />
      <Troubled logs={logs} />
      <LogPanel
        logs={logs}
        containers={containers}
        mainTitle="main containers"
        nameOf={nameOf}
        fileName={fileName}
        empty={total === 0 ? none : 'No lines yet.'}
      />
    </>
  );
}

function targetOf(pod: Pod, container: string): readonly Omit<LogTarget, 'mode'>[] {
  const { uid, namespace = '', name } = pod.metadata;
  // A pod without a node has no log.
  if (pod.spec?.nodeName === undefined || pod.spec.nodeName === '') return [];
  if (container === '') return [{ uid, namespace, pod: name, container: mainContainer(pod) }];
  return containerNames(pod).includes(container) ? [{ uid, namespace, pod: name, container }] : [];
}

const colours = 8;

/** Returns short names and colours. A pod keeps its colour while other pods come and go. */
function namesOf(
  targets: readonly LogTarget[],
): (source: string) => { readonly name: string; readonly colour: number } {
  const isOneNamespace = new Set(targets.map(({ namespace }) => namespace)).size <= 1;
  return (source) => {
    const name = isOneNamespace ? source.slice(source.indexOf('/') + 1) : source;
    let hash = 0;
    for (const character of source) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
    return { name: middleCut(plainText(name), 28), colour: hash % colours };
  };
}

interface FollowedTextProps {
  readonly followed: number;
  readonly streams: number;
  readonly total: number;
  readonly hint: string;
}

function FollowedText({ followed, streams, total, hint }: FollowedTextProps): ReactNode {
  const polled = followed - streams;
  return (
    <p className="fine log-followed" role="status">
      {streams > 0 && `${streams} followed live`}
      {polled > 0 &&
        `, ${polled} read every 2 s, because a browser opens at most six connections to an HTTP/1.1 server`}
      {total > followed && followed > 0 && `; ${total - followed} not followed. ${hint}`}
    </p>
  );
}

/** Renders the logs that cannot be read, with the reasons. */
function Troubled({ logs }: { readonly logs: FollowedLogs }): ReactNode {
  const troubled = [...logs.logs.values()].filter(({ why }) => why !== undefined);
  if (troubled.length === 0) return null;
  return (
    <details className="log-troubled">
      <summary>
        {troubled.length} {troubled.length === 1 ? 'log cannot' : 'logs cannot'} be read now
      </summary>
      <ul>
        {troubled.map(({ target, why }) => (
          <li key={sourceOf(target)}>
            <PageLink to={{ opened: { resource: podResource, key: sourceOf(target) } }}>
              {plainText(target.pod)}
            </PageLink>{' '}
            <span className="fine">{plainText(why ?? '', 300)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
