import { useCallback } from 'react';
import type { Collection, KubernetesObject, Resource } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import { map, of } from 'rxjs';
import { nodeResource, podResource } from '../address/page-address.js';
import { useCluster } from '../cluster/cluster.js';
import { useNodes, usePods } from '../cluster/informers.js';
import { atShownTime } from '../history/recordings.js';
import { requestKinds, type Kind } from '../kinds/discovery.js';
import { useRequest } from '../kinds/use-request.js';
import { wordsTest } from '../text/text.js';
import { typedTest } from '../text/typed.js';
import type { PaletteItem } from './palette-items.js';

/**
 * The maximum number of objects of one kind that are ranked. A user does not read a longer list.
 */
const enough = 400;

/** Kinds whose objects have generated names, which users do not type. */
const unnamed: ReadonlySet<string> = new Set(['v1/events', 'events.k8s.io/v1/events']);

/**
 * Returns the objects that match the typed words and labels: nodes, pods, and objects of every other kind that
 * the page watches now. Returns none before the user types, because there may be many.
 */
export function useObjects(typed: string): readonly PaletteItem[] {
  const { registry, tables } = useCluster();
  const pods = usePods();
  const nodes = useNodes();
  const isTyped = typedTest(typed);
  if (isTyped === undefined) return [];
  const others = [...registry.informers, ...[...tables.values()].map(({ rows }) => rows)]
    .map((informer) => [idOf(informer.resource), informer] as const)
    .filter(([id]) => id !== nodeResource && id !== podResource && !unnamed.has(id));
  const items = [
    ...itemsOf(nodeResource, 'Node', nodes, isTyped),
    ...itemsOf(podResource, 'Pod', pods, isTyped),
    ...others.flatMap(([id, informer]) =>
      itemsOf(id, kindOf(informer.resource), atShownTime(informer as unknown as Collection<KubernetesObject>), isTyped),
    ),
  ];
  // One object may be in several informers: of its kind, of its namespace and of its name.
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

function itemsOf(
  resource: string,
  kind: string,
  { snapshot }: Collection<KubernetesObject>,
  isTyped: NonNullable<ReturnType<typeof typedTest>>,
): readonly PaletteItem[] {
  const items: PaletteItem[] = [];
  for (const object of snapshot.list()) {
    if (items.length >= enough) break;
    const { name = '', namespace = '', labels } = object.metadata ?? {};
    if (!isTyped(() => `${kind} ${name} ${namespace}`, labels)) continue;
    const key = metaNamespaceKey(object);
    items.push({
      id: `${resource} ${key}`,
      kind,
      title: name,
      ...(namespace !== '' && { hint: namespace }),
      act: { opened: { resource, key } },
    });
  }
  return items;
}

function idOf(resource: Resource<unknown> | undefined): string {
  const { group = '', version = '', plural = '' } = resource ?? {};
  return [group, version, plural].filter(Boolean).join('/');
}

function kindOf(resource: Resource<unknown> | undefined): string {
  return resource?.kind ?? resource?.plural ?? '';
}

const noKinds: readonly Kind[] = [];

/**
 * Returns the kinds of the API server that match the typed words. Requests them once, when the user
 * starts to type.
 */
export function useKinds(typed: string): readonly PaletteItem[] {
  const { client } = useCluster();
  const hasWords = wordsTest(typed);
  const hasQuery = hasWords !== undefined;
  const request = useCallback(
    () => (hasQuery ? requestKinds(client).pipe(map(({ kinds }) => kinds)) : of(noKinds)),
    [client, hasQuery],
  );
  const kinds = useRequest(request).value ?? noKinds;
  return kinds
    .filter(({ id, kind, shortNames }) => hasWords?.(`kind ${kind} ${id} ${shortNames.join(' ')}`) === true)
    .map(({ id, kind, shortNames }) => ({
      id: `kind ${id}`,
      kind: 'Kind',
      title: kind,
      hint: [id, ...shortNames].join(' · '),
      act: { view: 'kinds', kind: id, order: [] },
    }));
}
