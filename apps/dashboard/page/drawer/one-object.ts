import { useMemo } from 'react';
import { defineRequest, resource as describe, type KubernetesObject } from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { useInformer } from 'rx-informers/react';
import type { Opened } from '../address/page-address.js';
import { onUnobservedError } from '../cluster/informers.js';
import { nameSelector } from '../cluster/name-selector.js';
import { reading } from '../cluster/reading.js';
import { atShownTime } from '../history/recordings.js';

/** The path of an object: its resource, and its key within its context. */
type Path = Pick<Opened, 'resource' | 'key'>;

/**
 * Returns the collection of one object, at the time that the page shows. Its watch runs while a
 * component shows it.
 */
export function useOneObject(path: Path, isMetadata: boolean): DerivedCollection<KubernetesObject> {
  const { resource, key } = path;
  const request = useMemo(() => requestOf({ resource, key }, isMetadata), [resource, key, isMetadata]);
  return atShownTime(useInformer(request));
}

function requestOf({ resource, key }: Path, metadataOnly: boolean) {
  const [plural = '', version = '', group = ''] = resource.split('/').reverse();
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const described = describe<KubernetesObject>({ group, version, plural, namespaced: slash !== -1 });
  return defineRequest(described, {
    ...reading,
    onUnobservedError,
    fieldSelector: nameSelector(name),
    ...(slash === -1 ? {} : { namespace: key.slice(0, slash) }),
    metadataOnly,
  });
}
