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

interface Told {
  readonly told: string[];
}

/** A component that uses every hook. */
function Everything({ told }: Told): ReactNode {
  const all = useInformer(byNode);
  useSynced(all);
  useChanges(all, ({ reason }) => told.push(reason));
  useErrors(all, ({ name }) => told.push(name));
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

export function everything(): Cluster & Told & { readonly content: ReactNode } {
  const told: string[] = [];
  const asked = cluster();
  const { client, scheduler } = asked;
  const content = (
    <InformersProvider registry={informerRegistry(client)} frameScheduler={scheduler} scheduler={scheduler}>
      <Suspense fallback="loading">
        <Everything told={told} />
      </Suspense>
    </InformersProvider>
  );
  return { ...asked, told, content };
}
