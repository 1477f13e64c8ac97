import type { SchedulerLike } from 'rxjs';
import { informerOver, type Informer } from '../informer/source-informer.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { ReferenceCount } from '../scheduling/reference-count.js';
import type { Source } from '../sources/model/source.js';
import { ChangeTexts } from './feed.js';

/** An informer and the feeds that use it. */
export interface ServedInformer {
  readonly informer: Informer<KubernetesObject>;
  readonly references: ReferenceCount;
  readonly texts: ChangeTexts;
}

/** Is notified before the informer connects, and when it stops. */
interface ServedInformerObserver {
  opened(served: ServedInformer): void;
  closed(): void;
}

/**
 * Creates an informer that runs while it has a reference, and for `linger` milliseconds after the
 * last reference has left.
 */
export function serveInformer(
  source: Source<KubernetesObject>,
  observer: ServedInformerObserver,
  linger: number,
  scheduler: SchedulerLike,
): ServedInformer {
  // Readers receive copies, so the objects need not be frozen here.
  const informer = informerOver(source, { linger: 0, freeze: false, scheduler });
  const open = (): void => {
    observer.opened(served);
    informer.connect();
  };
  const close = (): void => {
    observer.closed();
    informer.stop();
  };
  const references = new ReferenceCount({ open, close }, linger, scheduler);
  const served: ServedInformer = { informer, references, texts: new ChangeTexts() };
  return served;
}
