import { distinctUntilChanged, filter, map, merge, skip } from 'rxjs';
import {
  indexByLabel,
  indexByNamespace,
  indexByNode,
  informer,
  listWatch,
  pods,
  StatusError,
  type Informer,
  type InformerError,
  type InformerOptions,
  type ListWatchOptions,
  type Pod,
} from '../../src/index.js';
import { kubeClient } from '../../src/node.js';
import type { ObjectFromServer } from '../../src/resources.js';
import { chooseScanner, type ScannerChoice } from '../../src/sources/wire/choose-scanner.js';
import { benchKubeConfig } from './bench-kube-config.js';
import type { ClientOptions, StartClient } from './client.js';

type Index = 'node' | 'app' | 'namespace';

export interface RxInformersOptions {
  readonly source?: ListWatchOptions<ObjectFromServer<Pod>>;
  readonly informer?: Pick<InformerOptions<ObjectFromServer<Pod>, Index>, 'dedup'>;
  /** The scanner that finds the parts of lines and items (default: the fastest available). */
  readonly scanner?: ScannerChoice;
  /**
   * The source of updates (default `changes`): all changes, or a live query of the pods of each
   * node.
   */
  readonly updatesFrom?: 'changes' | 'nodes';
}

/**
 * Returns this library as a contestant: an informer with three indexes. The scanner is loaded
 * before, so that all events of a run are read by it.
 */
export async function rxInformers({
  source,
  scanner = 'fastest',
  updatesFrom = 'changes',
  ...options
}: RxInformersOptions): Promise<StartClient> {
  await chooseScanner(scanner);
  return ({ url, nodes = [], listed, updated, emitted }) => {
    const podInformer = informer(listWatch(kubeClient(benchKubeConfig(url)), pods, source), {
      ...options.informer,
      indexers: { node: indexByNode, app: indexByLabel('app'), namespace: indexByNamespace },
    });
    podInformer.errors$.subscribe(throwUnexpected);
    if (listed !== undefined) whenListed(podInformer).subscribe(listed);
    for (const node of nodes) followNode(podInformer, node, updatesFrom === 'nodes' ? updated : undefined);
    if (updated !== undefined && updatesFrom === 'changes') followChanges(podInformer, updated);
    if (emitted !== undefined) {
      const { snapshot$, changes$ } = podInformer;
      merge(snapshot$, changes$, ...nodes.map((node) => podInformer.byIndex$('node', node))).subscribe(emitted);
    }
    podInformer.connect();
    return {
      synced: podInformer.whenSynced(),
      stop: () => podInformer.stop(),
    };
  };
}

type Updated = Exclude<ClientOptions['updated'], undefined>;

function followChanges(podInformer: Informer<ObjectFromServer<Pod>, Index>, updated: Updated): void {
  podInformer.changes$.subscribe(({ changes }) => {
    for (const change of changes) if (change.type === 'updated') updated(change.object);
  });
}

/** Follows the pods of one node as a view does. Structural sharing shows which pods are new. */
function followNode(
  podInformer: Informer<ObjectFromServer<Pod>, Index>,
  node: string,
  updated: Updated | undefined,
): void {
  let shown: readonly ObjectFromServer<Pod>[] | undefined;
  podInformer.byIndex$('node', node).subscribe((current) => {
    if (shown !== undefined && updated !== undefined) {
      for (const [position, pod] of current.entries()) if (pod !== shown[position]) updated(pod);
    }
    shown = current;
  });
}

/**
 * Emits each time a list is complete and the watch begins. A streaming list is complete only when
 * all of its initial events have arrived.
 */
function whenListed(podInformer: Informer<ObjectFromServer<Pod>, Index>) {
  return podInformer.status$.pipe(
    map(({ state }) => state === 'watching'),
    distinctUntilChanged(),
    skip(1),
    filter((isWatching) => isWatching),
  );
}

/** Throws an error, unless the server of this benchmark causes it on purpose. */
function throwUnexpected(error: InformerError): void {
  if (error instanceof StatusError && error.statusCode === 410) return;
  throw error;
}
