import { combineLatest, map } from 'rxjs';
import * as derived from 'rx-informers/derived';
import {
  workloads,
  workloadService,
  workloadUpdates,
  type WorkloadPod,
  type Workloads,
  type WorkloadService,
} from '../fixtures/workloads.js';
import { operationTimes } from '../measure/operation-times.js';
import { percentile } from '../measure/percentile.js';
import { startStopwatch } from '../measure/stopwatch.js';
import type { Figures, Scale, Scenario } from '../scenario.js';

/** 20 pods a selector, as in the issue that this repeats. */
const PODS: Readonly<Record<Scale, number>> = { full: 10_000, quick: 1000 };
const BURST = 1000;

const OURS = 'rx-informers, selectorJoin';

interface Contestant {
  /** Follows what selects each pod; resolves when that is known. */
  readonly follow: (given: Workloads, heard: () => void) => Promise<void>;
  /** Fewer where one event takes many milliseconds: their burst is then as many times longer. */
  readonly events: number;
  /** How many selectors change. */
  readonly edited: number;
}

const contestants: Readonly<Record<string, Contestant>> = {
  [OURS]: { follow: selectorJoined, events: BURST, edited: 1000 },
  'every selector for the pod': { follow: matchedByPod, events: BURST, edited: 3 },
  'every selector for every pod': { follow: matchedAll, events: 5, edited: 3 },
};

export const derivedSelectors: Scenario = {
  name: 'derived-selectors',
  title: '500 selectors and 10,000 pods, of which 1,000 change at once',
  description: [
    'The workload of [istio#60366](https://github.com/istio/istio/issues/60366), in which it stalled for half an hour: 500 label selectors, 10,000',
    'pods, 20 for each selector, and a burst of events of pods, each of which must reach a subscriber. What is measured is the burst of 1,000 events',
    'from the first to the last row, one event among them, and a selector that changes from one app to another and back, which moves 40 pods.',
    'The second contestant keeps the answer of each pod and compares a pod that changes with all selectors; the third one computes all of it',
    'again for each event, as a join of lists does: it does five events, and its burst is 200 times as long. Processor time, but for the single event. Quick: 1,000 pods.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    burst: { title: 'a burst of 1,000 events', unit: 'ms', better: 'lower' },
    event: { title: 'one event of it', unit: 'µs', better: 'lower' },
    selector: { title: 'one change of a selector', unit: 'µs', better: 'lower' },
  },
  targets: [{ figure: { contestant: OURS, metric: 'burst' }, is: 'at most', factor: 1000 }],
  run: (name, { scale }) => run(contestants[name] as Contestant, scale),
};

async function run({ follow, events, edited }: Contestant, scale: Scale): Promise<Figures> {
  const count = PODS[scale];
  const given = workloads(count);
  given.fill();
  let heard = 0;
  await follow(given, () => heard++);

  heard = 0;
  const next = workloadUpdates(count);
  const pods = Array.from({ length: events }, next).values();
  const stopwatch = startStopwatch();
  const times = operationTimes(
    () => pods.next().value as WorkloadPod,
    (pod) => given.pods.update(pod),
    { warmUp: 0, operations: events },
  );
  const burst = (stopwatch().processor * BURST) / events;
  if (heard !== events) throw new Error(`${events} events were sent, ${heard} were heard`);

  let edits = 0;
  const service = (): WorkloadService => workloadService(0, ++edits % 2, 1 + edits);
  const selector = operationTimes(service, (changed) => given.services.update(changed), {
    warmUp: 1,
    operations: edited,
  });
  if (heard !== events + edited + 1) throw new Error(`${edited + 1} selectors changed, ${heard - events} were heard`);
  return { burst, event: percentile(times, 0.5), selector: percentile(selector, 0.5) };
}

async function selectorJoined({ pods, services }: Workloads, heard: () => void): Promise<void> {
  const rows = derived.selectorJoin(services, pods, { selector: derived.serviceSelector, within: 'namespace' });
  rows.changes$.subscribe(heard);
  await rows.whenSynced();
}

const selects = (service: WorkloadService, pod: WorkloadPod): boolean =>
  service.metadata.namespace === pod.metadata.namespace &&
  Object.entries(service.spec.selector).every(([name, value]) => pod.metadata.labels[name as 'app'] === value);

const selectingOf = (pod: WorkloadPod, services: readonly WorkloadService[]): readonly WorkloadService[] =>
  services.filter((service) => selects(service, pod));

function matchedByPod({ pods, services }: Workloads, heard: () => void): Promise<void> {
  const rows = new Map<string, readonly WorkloadService[]>();
  pods.changes$.subscribe(({ changes }) => {
    const all = services.list();
    for (const { key, object } of changes) rows.set(key, selectingOf(object, all));
    heard();
  });
  services.changes$.subscribe(({ reason }) => {
    // The first content is that of the pods as well.
    if (reason === 'initial') return;
    const all = services.list();
    pods.snapshot.forEach(({ key, object }) => rows.set(key, selectingOf(object, all)));
    heard();
  });
  return Promise.resolve();
}

function matchedAll({ pods, services }: Workloads, heard: () => void): Promise<void> {
  combineLatest([pods.list$(), services.list$()])
    .pipe(map(([allPods, all]) => allPods.map((pod) => ({ pod, selectedBy: selectingOf(pod, all) }))))
    .subscribe(heard);
  return Promise.resolve();
}
