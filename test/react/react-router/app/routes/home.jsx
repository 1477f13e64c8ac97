import { Suspense, useId } from 'react';
import {
  InformersProvider,
  useHasSynced,
  useInformer,
  useStatus,
  useSuspenseQuery,
  useWindow,
} from 'rx-informers/react';
import { bucketSize } from 'rx-informers/store';
import { podsByNamespace, registry } from '../registry.js';

function Pods() {
  const all = useInformer(podsByNamespace);
  const { rows, total } = useWindow(all, { index: ['namespace', 'default'], limit: 10 });
  const label = useId();
  return (
    <section aria-labelledby={label}>
      <h1 id={label}>{total} pods</h1>
      <p>
        {useStatus(all).state} {useHasSynced(all) ? 'synced' : 'loading'}
      </p>
      <ul>
        {rows.map(({ metadata, status }) => (
          <li key={metadata.uid}>
            {metadata.name} {status?.phase}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Size() {
  const all = useInformer(podsByNamespace);
  return <output>{useSuspenseQuery(all, bucketSize('namespace', 'default'))} in default</output>;
}

export default function Home() {
  return (
    <InformersProvider registry={registry}>
      <Pods />
      <Suspense fallback="loading">
        <Size />
      </Suspense>
    </InformersProvider>
  );
}
