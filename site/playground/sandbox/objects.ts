import * as core from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import type { InMemoryApiServer } from 'rx-informers/testing/in-memory';
import type { Command, ObjectRow, Objects } from '../protocol.js';
import { aPod, serverFaults } from 'rx-informers/testing/in-memory';

type Resource = core.Resource<unknown>;

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly nodeName?: string; readonly replicas?: number };
  readonly status?: {
    readonly phase?: string;
    readonly readyReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  readonly data?: Readonly<Record<string, unknown>>;
}

const maxRows = 50;

/** The built-in kinds of the root, pods first. */
const builtIn: readonly Resource[] = [
  core.pods,
  ...Object.values<unknown>({ ...core })
    .filter(isResource)
    .filter(({ plural }) => plural !== 'pods' && plural !== 'namespaces' && plural !== 'events'),
];

function isResource(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && 'plural' in value && 'kind' in value && 'version' in value;
}

/** Returns the objects of a server by kind. Kinds without objects are left out. */
export function objectsOf(server: InMemoryApiServer, own: readonly Resource[]): Objects {
  const kinds = [...builtIn, ...own].map((resource) => {
    const objects = server.objects.list(resource) as readonly unknown[] as readonly Stored[];
    return { kind: resource.plural, total: objects.length, rows: objects.slice(0, maxRows).map(rowOf) };
  });
  return { type: 'objects', kinds: kinds.filter(({ total }) => total > 0) };
}

function rowOf({ metadata, spec, status, data }: Stored): ObjectRow {
  const { name, namespace, resourceVersion, labels = {}, deletionTimestamp } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const state =
    deletionTimestamp !== undefined
      ? 'Terminating'
      : (status?.phase ?? (ready === undefined ? '' : ready === 'True' ? 'Ready' : 'NotReady'));
  const replicas = spec?.replicas === undefined ? '' : `${status?.readyReplicas ?? 0} of ${spec.replicas} ready`;
  const shownLabels = Object.entries(labels)
    .filter(([label]) => !label.includes('/') && label !== 'pod-template-hash')
    .map(([label, value]) => `${label}=${value}`);
  const values = Object.entries(data ?? {}).map(([field, value]) => `${field}: ${String(value)}`);
  return {
    key: namespace === undefined ? name : `${namespace}/${name}`,
    state: state || replicas,
    detail: [spec?.nodeName, ...(values.length > 0 ? values : shownLabels)].filter(Boolean).join(' · ').slice(0, 80),
    resourceVersion,
  };
}

/**
 * Carries out an action of the reader in the cluster. Returns a description of the action, for the
 * log.
 */
export function obey(server: InMemoryApiServer, command: Command, isOn: ReadonlySet<string>): string {
  const pods = server.objects.list(core.pods);
  const last = pods.at(-1);
  switch (command.type) {
    case 'create': {
      const taken = new Set(pods.map(({ metadata }) => metadata?.name));
      let number = 1;
      while (taken.has(`yours-${number}`)) number += 1;
      const { namespace = 'default', labels } = last?.metadata ?? {};
      const node = server.objects.list(core.nodes)[0]?.metadata?.name ?? 'worker-1';
      const app = labels?.['app'] ?? 'web';
      server.apply(aPod({ name: `yours-${number}`, namespace, node, labels: { app }, phase: 'Running' }));
      return `you created pod ${namespace}/yours-${number}`;
    }
    case 'label': {
      if (last === undefined) return 'there is no pod to label';
      const tier = last.metadata?.labels?.['tier'] === 'gold' ? 'silver' : 'gold';
      server.apply({ ...last, metadata: { ...last.metadata, labels: { ...last.metadata?.labels, tier } } });
      return `you set tier=${tier} on pod ${metaNamespaceKey(last)}`;
    }
    case 'delete': {
      if (last === undefined) return 'there is no pod to delete';
      server.remove(core.pods, last.metadata?.name ?? '', last.metadata?.namespace);
      return `you deleted pod ${metaNamespaceKey(last)}`;
    }
    case 'cut':
      server.restart();
      return 'you cut all connections; clients connect again';
    case 'expire':
      server.restart({ compact: true });
      return 'you dropped the history and cut all connections; clients receive 410 Gone and list again';
    case 'fault':
      server.faults.clear();
      if (isOn.has('delay')) server.faults.always('any', serverFaults.delay(2000));
      if (isOn.has('errors')) server.faults.always('any', serverFaults.respond(500));
      if (command.isOn) server.restart();
      return faultText(command.fault, command.isOn);
  }
}

function faultText(fault: 'delay' | 'errors', isOn: boolean): string {
  if (fault === 'delay') return isOn ? 'every answer now takes 2 seconds' : 'answers come at once again';
  return isOn ? 'every request is now answered with 500' : 'requests are answered again';
}
