import { type KubernetesObject, type Resource, customResourceDefinitions } from 'rx-informers';
import { discoverResource } from 'rx-informers/requests';
import { firstValueFrom, retry, timeout } from 'rxjs';
import { uniqueName, type Cluster, type Manifest } from './cluster.js';

export interface Gadget extends KubernetesObject {
  readonly spec: { readonly size: number };
}

/** A kind that is unknown to the API server until its definition is created. */
export interface CustomKind {
  readonly group: string;
  readonly definition: Manifest;
  /**
   * Creates the definition. Resolves with the descriptor from discovery once the API server serves
   * the kind.
   */
  install(): Promise<Resource<Gadget>>;
  uninstall(): Promise<void>;
}

/** @param version further fields of its version, for example `{ subresources: { status: {} } }` */
export function customKind(cluster: Cluster, version: object = {}): CustomKind {
  const group = `${uniqueName('g')}.example.com`;
  const definition: Manifest = {
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anything }, ...version }],
    },
  };
  return {
    group,
    definition,
    install: async () => {
      await cluster.create(customResourceDefinitions, definition);
      const discovered$ = discoverResource<Gadget>(cluster.client, { apiVersion: `${group}/v1`, kind: 'Gadget' });
      return firstValueFrom(discovered$.pipe(retry({ delay: 50 }), timeout({ first: 120_000 })));
    },
    uninstall: () => cluster.remove(customResourceDefinitions, definition),
  };
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
