import { lazy, Suspense, useDeferredValue, type ReactNode } from 'react';
import type { Collection, KubernetesObject, KubernetesNode, Pod } from 'rx-informers';
import { nodeResource, podResource, type Opened } from '../address/page-address.js';
import { useClusterInfo } from '../cluster/cluster.js';
import { isWorkload } from '../workloads/workload-node.js';
import { AnySummary } from './any-summary.js';
import { DeletionStory } from './deletion-story.js';
import { DrawerTabs, type DrawerTab, type TabName } from './drawer-tabs.js';
import { useLastUpdate } from './last-update.js';
import { NodeSummary } from './node-summary.js';
import { ObjectEvents } from './object-events.js';
import { PodSummary } from './pod-summary.js';
import type { RelatedProps } from './related.js';

const ChangeLog = lazy(async () => ({ default: (await import('../history/change-log.js')).ChangeLog }));
const SecretData = lazy(async () => ({ default: (await import('./secret-data.js')).SecretData }));
const YamlTab = lazy(async () => ({ default: (await import('./yaml-view.js')).YamlTab }));
const WriteButtons = lazy(async () => ({ default: (await import('../writes/write-buttons.js')).WriteButtons }));
const Related = lazy(async () => ({ default: (await import('./related.js')).Related }));
const WorkloadLogs = lazy(async () => ({ default: (await import('../logs/workload-logs.js')).WorkloadLogs }));
const PodLogs = lazy(async () => ({ default: (await import('../logs/pod-logs.js')).PodLogs }));

interface ObjectDetailsProps {
  readonly opened: Opened;
  readonly object: KubernetesObject;
  /** Whether the object was deleted. Then `object` is its last state. */
  readonly isGone: boolean;
  /** The collection that contains the object. */
  readonly informer: Collection<KubernetesObject>;
}

/** Renders everything about an object in tabs. Draws only the tab that the address names. */
export function ObjectDetails({ opened, object, isGone, informer }: ObjectDetailsProps): ReactNode {
  const { allowWrites } = useClusterInfo();
  const update = useLastUpdate(object);
  // Details take the longest to draw and are the least urgent.
  const drawn = useDeferredValue(object);
  const { resource } = opened;
  const isPod = resource === podResource;
  const tabs: readonly DrawerTab[] = [
    { name: 'summary', title: 'Summary' },
    { name: 'changes', title: 'Changes', count: update.count },
    { name: 'events', title: 'Events' },
    ...(isPod || isWorkload(resource) ? [{ name: 'logs', title: 'Logs' } as const] : []),
    { name: 'yaml', title: 'YAML' },
  ];
  const shown = tabs.find(({ name }) => name === opened.tab)?.name ?? 'summary';
  const content: Readonly<Record<TabName, () => ReactNode>> = {
    summary: () => <Summary {...{ resource, object, informer }} />,
    changes: () => <ChangeLog opened={opened} collection={informer} />,
    events: () => <ObjectEvents resource={resource} object={object} />,
    logs: () => (isPod ? <PodLogs pod={object as Pod} /> : <WorkloadLogs {...{ resource, object, informer }} />),
    yaml: () => <YamlTab opened={opened} object={drawn} />,
  };
  return (
    <>
      {allowWrites && (
        <Suspense fallback={null}>
          <WriteButtons opened={opened} object={object} isGone={isGone} />
        </Suspense>
      )}
      <DrawerTabs opened={opened} tabs={tabs} shown={shown} />
      <div
        key={shown}
        className={`drawer-body ${shown}-tab`}
        id="drawer-tab"
        role="tabpanel"
        aria-labelledby={`tab-${shown}`}
        tabIndex={0}
      >
        <Suspense fallback={<p className="fine">Loading…</p>}>{content[shown]()}</Suspense>
      </div>
    </>
  );
}

function Summary({ resource, object, informer }: RelatedProps): ReactNode {
  const related = (
    <Suspense fallback={null}>
      <Related {...{ resource, object, informer }} />
    </Suspense>
  );
  // The story of a pod includes its deletion.
  if (resource === podResource) return <PodSummary pod={object as Pod} related={related} />;
  return (
    <>
      <DeletionStory object={object} />
      {resource === nodeResource ? (
        <NodeSummary node={object as KubernetesNode} related={related} />
      ) : (
        <AnySummary resource={resource} object={object} related={related} />
      )}
      {resource === 'v1/secrets' && (
        <Suspense fallback={null}>
          <SecretData object={object} />
        </Suspense>
      )}
    </>
  );
}
