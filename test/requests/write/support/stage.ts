import { type KubernetesObject, resource, type Resource, configMaps, type ConfigMap } from 'rx-informers';
import type { Condition } from 'rx-informers/controller';
import { resourceClient, type ResourceClient } from 'rx-informers/requests';
import { createInMemoryApiServer, type Appliable, type ApiRequest, type InMemoryApiServer } from 'rx-informers/testing';
import { VirtualTimeScheduler, type Observable } from 'rxjs';
import { aDefinition } from '../../../fixtures/definition.js';

/** A kind with a spec and a status of its own. */
export interface Website extends KubernetesObject {
  readonly spec: { readonly host: string; readonly paths?: readonly string[] };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
  };
}

export const websites = resource<Website>({
  group: 'example.com',
  version: 'v1',
  plural: 'websites',
  kind: 'Website',
  namespaced: true,
});

const definition = aDefinition({ plural: 'websites', kind: 'Website', subresources: { status: {} } });

/** The values and the error of a call. */
export interface Outcome<T> {
  readonly values: readonly T[];
  readonly error?: unknown;
  /** The duration of the call, in virtual milliseconds; undefined if it has not ended. */
  readonly took: number | undefined;
}

/** An API server in virtual time, and the requests that it received. */
export interface Stage {
  readonly server: InMemoryApiServer;
  readonly scheduler: VirtualTimeScheduler;
  readonly client: ResourceClient<ConfigMap>;
  readonly websites: ResourceClient<Website>;
  clientOf<T>(resource: Resource<T>): ResourceClient<T>;
  /** The requests in order, for example `PATCH /api/v1/namespaces/web/configmaps/a`. */
  readonly requests: string[];
  /** The bodies of the PATCH requests, without the `test` operations for version and identity. */
  readonly patches: readonly (readonly object[])[];
  /** Stores an object. Returns it as a user reads it. */
  put(object: Appliable): ConfigMap;
  putWebsite(object: Appliable): Website;
  /**
   * Calls `interfere` just before each of the next `times` requests with this method, so that
   * another client can write first.
   */
  before(method: string, interfere: () => void, times?: number): void;
  /** Subscribes to the call, and advances virtual time until nothing is scheduled. */
  run<T>(call: Observable<T>): Outcome<T>;
}

export function stage(): Stage {
  const scheduler = new VirtualTimeScheduler(undefined, 600_000);
  const server = createInMemoryApiServer({ scheduler });
  server.apply(definition);
  scheduler.flush();
  const clientOf = <T>(of: Resource<T>): ResourceClient<T> =>
    resourceClient(server.client, of, { scheduler, fieldManager: 'stage' });
  const requests: string[] = [];
  const patches: (readonly object[])[] = [];
  const interferences: { readonly method: string; readonly interfere: () => void; left: number }[] = [];
  server.requests$.subscribe(({ method, path, body }: ApiRequest) => {
    requests.push(`${method} ${path}`);
    if (method === 'PATCH') patches.push(withoutTests(JSON.parse(body) as readonly object[]));
    const due = interferences.find((each) => each.method === method && each.left > 0);
    if (due === undefined) return;
    due.left--;
    due.interfere();
  });
  return {
    server,
    scheduler,
    client: clientOf(configMaps),
    websites: clientOf(websites),
    clientOf,
    requests,
    patches,
    put: (object) => structuredClone(server.apply(object)[0]) as unknown as ConfigMap,
    putWebsite: (object) => structuredClone(server.apply(object)[0]) as unknown as Website,
    before: (method, interfere, times = 1) => {
      interferences.push({ method, interfere, left: times });
    },
    run: <T>(call: Observable<T>) => {
      const startedAt = scheduler.now();
      const values: T[] = [];
      let failure: { readonly error: unknown } | undefined;
      let over: number | undefined;
      call.subscribe({
        next: (value) => values.push(value),
        error: (error: unknown) => {
          failure = { error };
          over = scheduler.now() - startedAt;
        },
        complete: () => {
          over = scheduler.now() - startedAt;
        },
      });
      scheduler.flush();
      return { values, took: over, ...failure };
    },
  };
}

function withoutTests(patch: readonly object[]): readonly object[] {
  return Array.isArray(patch)
    ? patch.filter((operation) => (operation as { readonly op: string }).op !== 'test')
    : patch;
}

/** Returns a ConfigMap in the namespace `web`. */
export function settings(data: Readonly<Record<string, string>>, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'web', name: 'settings', ...metadata }, data };
}

/** Returns a Website in the namespace `web`. */
export function website(spec: Partial<Website['spec']> = {}, rest: object = {}): object {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Website',
    metadata: { namespace: 'web', name: 'shop' },
    spec: { host: 'shop.example.com', ...spec },
    ...rest,
  };
}
