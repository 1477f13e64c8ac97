import { addEventHandler, type Collection } from 'rx-informers';
import type { Unsubscribable } from 'rxjs';
import type { BenchPod } from '../fixtures/pod.js';
import { keyOfPod, type podIndexers } from '../fixtures/retained-pods.js';

type FollowedPods = Collection<BenchPod, keyof typeof podIndexers>;

type Visit = (pods: FollowedPods, pod: BenchPod) => Unsubscribable;

/**
 * Every kind of subscription. Subscriptions to one bucket or object appear more often, because
 * applications use them more often.
 */
const VISITS: readonly Visit[] = [
  ...Array.from({ length: 4 }, (): readonly Visit[] => [
    (pods, { spec }) => pods.byIndex$('node', spec.nodeName).subscribe(),
    (pods, { metadata }) => pods.byIndexChanges$('app', metadata.labels.app).subscribe(),
    (pods, pod) => pods.get$(keyOfPod(pod)).subscribe(),
    (pods, pod) => pods.index$('app', pod).subscribe(),
    (pods, { metadata }) => pods.byIndex$('node', `nobody-runs-${metadata.name}`).subscribe(),
  ]).flat(),
  (pods, { metadata }) => pods.byIndex$('namespace', metadata.namespace).subscribe(),
  (pods, { metadata }) => pods.list$({ matchLabels: { app: metadata.labels.app } }).subscribe(),
  (pods) => pods.indexValues$('namespace').subscribe(),
  (pods) => pods.changes$.subscribe(),
  (pods) => addEventHandler(pods, { onAdd: () => undefined }),
];

/**
 * Subscribers that come and go. At most `size` subscribers exist at a time. The oldest one
 * unsubscribes first.
 */
export class Visitors {
  readonly #present: Unsubscribable[] = [];
  #came = 0;

  constructor(
    private readonly pods: FollowedPods,
    private readonly size: number,
  ) {}

  /**
   * Adds a subscriber that is interested in `pod`. If there are too many subscribers, removes the
   * oldest.
   */
  come(pod: BenchPod): void {
    const visit = VISITS[this.#came++ % VISITS.length] as Visit;
    this.#present.push(visit(this.pods, pod));
    if (this.#present.length > this.size) this.#present.shift()?.unsubscribe();
  }
}
