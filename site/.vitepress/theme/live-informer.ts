import { bucket, indexByNode, informer, type Source } from 'rx-informers';
import { watchEvent } from 'rx-informers/store';
import { Observable, Subject, Subscription } from 'rxjs';
import type { DemoCluster, DemoEvent, DemoPod } from './cluster.js';

/**
 * The informer of the landing page. It is a real informer, but its cluster is simulated in the
 * page.
 */
export interface LiveInformer {
  /** Delivers an event of the watch, unless the connection is cut. */
  deliver(event: DemoEvent): void;
  /** Breaks the connection once. The informer then lists and watches again. */
  cut(): void;
  /** Follows the pods of a node, until the next call. */
  follow(node: string, onPods: (pods: readonly DemoPod[]) => void): void;
  close(): void;
}

export function liveInformer(cluster: DemoCluster, onState: (state: string) => void): LiveInformer {
  const connections = new Subject<DemoEvent | 'cut'>();
  const source: Source<DemoPod> = new Observable((subscriber) => {
    subscriber.next([watchEvent.listed([...cluster.pods.values()], cluster.version())]);
    return connections.subscribe((event) => {
      if (event === 'cut') subscriber.error(new Error('the connection was cut'));
      else subscriber.next([event]);
    });
  });
  const podInformer = informer(source, {
    indexers: { node: indexByNode },
    onUnobservedError: () => undefined,
  });
  const states = podInformer.status$.subscribe(({ state }) => {
    onState(state);
  });
  let query = new Subscription();
  return {
    deliver: (event) => {
      connections.next(event);
    },
    cut: () => {
      connections.next('cut');
    },
    follow(node, onPods) {
      const next = podInformer.query$(bucket('node', node)).subscribe(onPods);
      query.unsubscribe();
      query = next;
    },
    close() {
      query.unsubscribe();
      states.unsubscribe();
      podInformer.stop();
    },
  };
}
