import type { PodLogLine } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import type { Dashboard, Stage } from './dashboard.js';

export interface TalkingPods extends Dashboard {
  /** Appends a line to the log of a pod. */
  readonly say: (pod: string, text: string) => void;
}

/** Starts a dashboard with an API server whose pods write the lines of a test. */
export async function startTalkingPods(start: Stage['start']): Promise<TalkingPods> {
  const lines = new Map<string, Subject<PodLogLine>>();
  const of = (pod: string): Subject<PodLogLine> => {
    const known = lines.get(pod) ?? new Subject<PodLogLine>();
    lines.set(pod, known);
    return known;
  };
  const dashboard = await start({
    podLogs: ({ pod }) => ({
      lines: [{ time: Date.now() - 60_000, text: `${pod.metadata.name} begins` }],
      lines$: of(pod.metadata.name),
    }),
  });
  return {
    ...dashboard,
    say: (pod, text) => {
      of(pod).next({ time: Date.now(), text });
    },
  };
}
