import type { KubernetesObject, Pod } from 'rx-informers';
import { podResource } from '../address/page-address.js';
import { resourceOfKind } from '../text/text.js';
import { usedKinds, usedObjects } from './used-objects.js';

/** An object that another object names. */
export interface Reference {
  readonly resource: string;
  readonly kind: string;
  readonly key: string;
  readonly name: string;
}

interface TargetReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

interface Naming {
  readonly spec?: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly claimRef?: TargetReference;
    readonly scaleTargetRef?: TargetReference;
    readonly template?: { readonly spec?: Pod['spec'] };
    readonly jobTemplate?: { readonly spec?: { readonly template?: { readonly spec?: Pod['spec'] } } };
    readonly tls?: readonly { readonly secretName?: string }[];
    readonly defaultBackend?: Backend;
    readonly rules?: readonly { readonly http?: { readonly paths?: readonly { readonly backend?: Backend }[] } }[];
  };
  readonly roleRef?: TargetReference;
}

interface Backend {
  readonly service?: { readonly name?: string };
}

/** Returns the objects that an object names itself, each once, except for its owners. */
export function referencesOf(resource: string, object: KubernetesObject): readonly Reference[] {
  const { namespace, name = '' } = object.metadata ?? {};
  const { spec = {}, roleRef } = object as Naming;
  const found = new Map<string, Reference>();
  const add = (kind: string, of: string, named: string | undefined, within: string | undefined): void => {
    if (named === undefined || named === '') return;
    const key = within === undefined ? named : `${within}/${named}`;
    found.set(`${of} ${key}`, { resource: of, kind, key, name: named });
  };
  const isPod = resource === podResource;
  const podSpec = isPod ? (object as Pod).spec : (spec.template ?? spec.jobTemplate?.spec?.template)?.spec;
  for (const used of usedObjects(podSpec, isPod ? name : undefined)) {
    add(usedKinds[used.resource], used.resource, used.name, namespace);
  }
  switch (resource) {
    case 'v1/persistentvolumeclaims':
    case 'v1/persistentvolumes':
      add('PersistentVolume', 'v1/persistentvolumes', spec.volumeName, undefined);
      add('PersistentVolumeClaim', 'v1/persistentvolumeclaims', spec.claimRef?.name, spec.claimRef?.namespace);
      add('StorageClass', 'storage.k8s.io/v1/storageclasses', spec.storageClassName, undefined);
      break;
    case 'networking.k8s.io/v1/ingresses': {
      const paths = (spec.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
      for (const backend of [spec.defaultBackend, ...paths.map((path) => path.backend)]) {
        add('Service', 'v1/services', backend?.service?.name, namespace);
      }
      for (const { secretName } of spec.tls ?? []) add('Secret', 'v1/secrets', secretName, namespace);
      break;
    }
    default: {
      const target = spec.scaleTargetRef;
      if (target) add(target.kind ?? '', resourceOfKind(target), target.name, namespace);
      if (roleRef) {
        const of = `rbac.authorization.k8s.io/v1/${roleRef.kind === 'Role' ? 'roles' : 'clusterroles'}`;
        add(roleRef.kind ?? '', of, roleRef.name, roleRef.kind === 'Role' ? namespace : undefined);
      }
    }
  }
  return [...found.values()];
}
