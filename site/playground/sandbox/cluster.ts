import * as core from 'rx-informers';
import * as inMemory from 'rx-informers/testing/in-memory';
import type { Subscription } from 'rxjs';
import type { SandboxEvent } from '../protocol.js';

type Server = inMemory.InMemoryApiServer;

/**
 * The API servers of a program: servers that the program creates, or a server with a small cluster
 * that changes.
 */
export class Clusters {
  readonly #servers: { readonly server: Server; readonly resources: readonly core.Resource<unknown>[] }[] = [];
  #moving: Subscription | undefined;
  #standard: Server | undefined;

  constructor(
    private readonly post: (event: SandboxEvent) => void,
    private readonly log: (level: 'request', text: string) => void,
  ) {}

  /** The server that the reader sees: the latest one. `undefined` if the program uses no server. */
  get shown(): { readonly server: Server; readonly resources: readonly core.Resource<unknown>[] } | undefined {
    return this.#servers.at(-1);
  }

  readonly create = (options: inMemory.InMemoryApiServerOptions = {}): Server => {
    const server = inMemory.createInMemoryApiServer(options);
    this.#servers.push({ server, resources: options.resources ?? [] });
    server.requests$.subscribe(({ method, path, query }) => {
      if (method !== 'GET') return;
      const isWatch = new URLSearchParams(query).get('watch') === 'true';
      this.log('request', `${isWatch ? 'WATCH' : 'GET'} ${path}`);
    });
    return server;
  };

  /**
   * Returns the server with the standard cluster: three nodes, about a dozen pods, and the
   * ConfigMaps that examples name. One pod changes every second.
   */
  standard(): Server {
    if (this.#standard !== undefined) return this.#standard;
    const server = this.create();
    const random = inMemory.randomFromSeed(18);
    const options = { nodes: 3, namespaces: ['shop'], apps: ['web', 'api', 'cache'], pods: 12, rate: 1, random };
    const settings = ['a', 'b', 'c', 'settings'].map((name) =>
      inMemory.aConfigMap({ name, namespace: 'web', data: { mode: 'dark' } }),
    );
    server.apply(settings);
    this.#moving = inMemory.workload(server, options).subscribe();
    this.#standard = server;
    return server;
  }

  stop(): void {
    this.#moving?.unsubscribe();
  }

  /** Reports a replacement of something that a page cannot do. */
  substituted(what: string, by: string): void {
    this.post({ type: 'substituted', what, by });
  }
}
