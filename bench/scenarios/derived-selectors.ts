import * as derived from 'rx-informers/derived';
import { combineLatest, map } from 'rxjs';
import {
  workloads,
  workloadService,
  workloadUpdates,
  type WorkloadPod,
  type Workloads,
  type WorkloadService,
} from '../fixtures/workloads.js';
import { operationTimes, percentile, startStopwatch } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

/**
 * The number of pods. There are 20 pods for each selector, as in the issue that this scenario
 * repeats.
 */
const PODS: Readonly<Record<Scale, number>> = { full: 10_000, quick: 1000 };
const BURST = 1000;

const OURS = 'rx-informers, selectorJoin';

interface Contestant {
  /** Follows the selectors of each pod. Resolves when the first result is complete. */
  readonly follow: (input: Workloads, onChange: () => void) => Promise<void>;
  /**
   * The number of measured events. It is smaller if one event takes many milliseconds. The time of
   * a burst is then scaled up.
   */
  readonly events: number;
  /** The number of selectors that change. */
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
    'The workload of [istio#60366](https://github.com/istio/istio/issues/60366), in which istio stalled for half an',
    'hour: 500 label selectors, 10,000 pods, 20 for each selector, and a burst of pod events, each of which must',
    'reach a subscriber. Three times are measured: the burst of 1,000 events from the first row to the last one, one',
    'event of it, and a change of one selector from one app to another and back, which moves 40 pods. The second',
    'contestant keeps the result of each pod, and compares a changed pod with all selectors. The third one computes',
    'everything again for each event, as a join of lists does; it gets five events, and its time is multiplied by',
    '200. The burst is measured in processor time, the other two in elapsed time.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    burst: { title: 'a burst of 1,000 events', unit: 'ms', better: 'lower' },
    event: { title: 'one event of the burst', unit: 'µs', better: 'lower' },
    selector: { title: 'one change of a selector', unit: 'µs', better: 'lower' },
  },
  targets: [{ figure: { contestant: OURS, metric: 'burst' }, is: 'at most', factor: 1000 }],
  run: (name, { scale }) => run(contestants[name] as Contestant, scale),
};

async function run({ follow, events, edited }: Contestant, scale: Scale): Promise<Figures> {
  const count = PODS[scale];
  const input = workloads(count);
  input.fill();
  let notified = 0;
  await follow(input, () => notified++);

  notified = 0;
  const next = workloadUpdates(count);
  const pods = Array.from({ length: events }, next).values();
  const stopwatch = startStopwatch();
  const times = operationTimes(
    () => pods.next().value as WorkloadPod,
    (pod) => input.pods.update(pod),
    { warmUp: 0, operations: events },
  );
  const burst = (stopwatch().processor * BURST) / events;
  if (notified !== events) throw new Error(`${events} events were sent, ${notified} were heard`);

  let edits = 0;
  const service = (): WorkloadService => workloadService(0, ++edits % 2, 1 + edits);
  const selector = operationTimes(service, (changed) => input.services.update(changed), {
    warmUp: 1,
    operations: edited,
  });
  if (notified !== events + edited + 1)
    throw new Error(`${edited + 1} selectors changed, ${notified - events} were heard`);
  return { burst, event: percentile(times, 0.5), selector: percentile(selector, 0.5) };
}

async function selectorJoined({ pods, services }: Workloads, onChange: () => void): Promise<void> {
  const rows = derived.selectorJoin(services, pods, { selector: derived.serviceSelector, within: 'namespace' });
  rows.changes$.subscribe(onChange);
  await rows.whenSynced();
}

const selects = (service: WorkloadService, pod: WorkloadPod): boolean =>
  service.metadata.namespace === pod.metadata.namespace &&
  Object.entries(service.spec.selector).every(([name, value]) => pod.metadata.labels[name as 'app'] === value);

const selectingOf = (pod: WorkloadPod, services: readonly WorkloadService[]): readonly WorkloadService[] =>
  services.filter((service) => selects(service, pod));

function matchedByPod({ pods, services }: Workloads, onChange: () => void): Promise<void> {
  const rows = new Map<string, readonly WorkloadService[]>();
  pods.changes$.subscribe(({ changes }) => {
    const all = services.list();
    for (const { key, object } of changes) rows.set(key, selectingOf(object, all));
    onChange();
  });
  services.changes$.subscribe(({ reason }) => {
    // The initial change set of services needs no work here, because the pods are processed
    // together with it.
    if (reason === 'initial') return;
    const all = services.list();
    pods.snapshot.forEach(({ key, object }) => rows.set(key, selectingOf(object, all)));
    onChange();
  });
  return Promise.resolve();
}

function matchedAll({ pods, services }: Workloads, onChange: () => void): Promise<void> {
  combineLatest([pods.list$(), services.list$()])
    .pipe(map(([allPods, all]) => allPods.map((pod) => ({ pod, selectedBy: selectingOf(pod, all) }))))
    .subscribe(onChange);
  return Promise.resolve();
}
