import { useMemo, type ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import { plainText } from '../text/text.js';
import { LogPanel } from './log-panel.js';
import { containerNames, mainContainer, useLogSettings } from './log-settings.js';
import type { LogTarget } from './log-targets.js';
import { useFollowedLogs } from './use-followed-logs.js';

/** Renders the log of one container of a pod, and follows it. */
export function PodLogs({ pod }: { readonly pod: Pod }): ReactNode {
  const { container, tail, previous } = useLogSettings();
  const names = containerNames(pod);
  const main = mainContainer(pod);
  const chosen = names.includes(container) ? container : main;
  const { name, namespace = '', uid } = pod.metadata;
  const targets = useMemo(
    (): readonly LogTarget[] => [{ uid, namespace, pod: name, container: chosen, mode: 'stream' }],
    [uid, namespace, name, chosen],
  );
  const logs = useFollowedLogs(targets, { tail, previous });
  const [log] = logs.logs.values();
  return (
    <div className="logs">
      {log?.why !== undefined && (
        <p className="notice" role="status">
          {plainText(log.why, 400)}
          {log.state === 'waiting' && '. Retrying.'}
        </p>
      )}
      <LogPanel
        logs={logs}
        containers={names}
        mainTitle={main}
        fileName={`${namespace}-${name}.log`}
        empty={log === undefined ? 'Loading…' : 'No lines yet.'}
      />
    </div>
  );
}
