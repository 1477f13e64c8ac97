import { Suspense, type ReactNode } from 'react';
import { defineRequest, informerRegistry, indexByNode, pods } from 'rx-informers';
import {
  InformersProvider,
  useByIndex,
  useChanges,
  useErrors,
  useHasSynced,
  useIndexValues,
  useInformer,
  useList,
  useObject,
  useStatus,
  useSynced,
  useWindow,
} from 'rx-informers/react';
import { cluster, type Cluster } from './cluster.js';

const byNode = defineRequest(pods, { linger: 0, indexers: { node: indexByNode } });

interface Received {
  readonly received: string[];
}

/** A component that uses every hook. */
function Everything({ received }: Received): ReactNode {
  const all = useInformer(byNode);
  useSynced(all);
  useChanges(all, ({ reason }) => received.push(reason));
  useErrors(all, ({ name }) => received.push(name));
  return [
    useByIndex(all, 'node', 'n1').length,
    useIndexValues(all, 'node').length,
    useList(all).length,
    useObject(all, 'default/a')?.metadata.name ?? 'none',
    useWindow(all).total,
    useHasSynced(all),
    useStatus(all).state,
  ].join(' ');
}

/** The HTML that `everything` renders on a server. */
export const htmlOfEverything = '<!--$-->0 0 0 none 0 false stopped<!--/$-->';

export function everything(): Cluster & Received & { readonly content: ReactNode } {
  const received: string[] = [];
  const requests = cluster();
  const { client, scheduler } = requests;
  const content = (
    <InformersProvider registry={informerRegistry(client)} frameScheduler={scheduler} scheduler={scheduler}>
      <Suspense fallback="loading">
        <Everything received={received} />
      </Suspense>
    </InformersProvider>
  );
  return { ...requests, received, content };
}
