import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { KubeClient, Resource } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { apiVersionOf } from 'rx-informers/resources';
import type { Person } from './stage.js';

/** Returns a user with a client of this library. */
export function personWith(client: KubeClient, namespace: string): Person {
  const of = (resource: Resource<unknown>) =>
    resourceClient(client, resource as Resource<object>, { fieldManager: 'somebody-else' });
  const target = (name: string) => ({ metadata: { namespace, name } });
  return {
    create: async (resource, name, fields) => {
      await of(resource).create({ ...target(name), ...fields });
    },
    patch: async (resource, name, patch) => {
      await of(resource).patch(target(name), patch);
    },
    applyStatus: async (resource, name, status) => {
      await of(resource).apply({ ...target(name), status } as object as never, { subresource: 'status' });
    },
    remove: async (resource, name) => {
      await of(resource).delete(target(name));
    },
  };
}

/** Returns a user with `kubectl`. */
export function personWithKubectl(kubeConfigFile: string, namespace: string): Person {
  const kubectl = async (parameters: readonly string[], input?: object): Promise<void> => {
    const running = promisify(execFile)('kubectl', [
      ...['--kubeconfig', kubeConfigFile, '--namespace', namespace],
      ...parameters,
    ]);
    running.child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
    await running;
  };
  const type = ({ plural, version, group }: Resource<unknown>): string =>
    group === '' ? plural : `${plural}.${version}.${group}`;
  const manifest = (resource: Resource<unknown>, name: string, fields: object): object => ({
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { name },
    ...fields,
  });
  return {
    create: (resource, name, fields) => kubectl(['create', '--filename', '-'], manifest(resource, name, fields)),
    patch: (resource, name, patch) =>
      kubectl(['patch', type(resource), name, '--type', 'merge', '--patch', JSON.stringify(patch)]),
    applyStatus: (resource, name, status) =>
      kubectl(
        // A status alone lacks the spec. If the server does not know `fieldValidation`, kubectl
        // itself checks the object and rejects it, so its check is switched off.
        [
          'apply',
          '--server-side',
          '--subresource',
          'status',
          '--field-manager',
          'somebody-else',
          '--validate=false',
          '--filename',
          '-',
        ],
        manifest(resource, name, { status }),
      ),
    remove: (resource, name) => kubectl(['delete', type(resource), name, '--wait=false']),
  };
}
