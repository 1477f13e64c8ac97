import { Observable, filter, map, startWith, take, type Observer } from 'rxjs';
import type { StorageEvent } from './history.js';
import { ResourceStorage } from './resource-storage.js';

/** A write, and the resource (`pods`, `deployments.apps`) that it was made to. */
export interface Commit {
  readonly resource: string;
  readonly event: StorageEvent;
}

/** Everything that the embedded API server knows: one counter of versions over all resources, as etcd has one revision. */
export class Storage {
  #resourceVersion = 1;
  readonly #resources = new Map<string, ResourceStorage>();
  readonly #dropped = new Set<string>();
  readonly #observers = new Set<Observer<Commit>>();
  readonly #historyLimit: number;

  constructor(options: { readonly historyLimit: number }) {
    this.#historyLimit = options.historyLimit;
  }

  /** The version that the latest write made. */
  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  resource(name: string): ResourceStorage {
    const known = this.#resources.get(name);
    if (known) return known;
    const resource = new ResourceStorage({
      historyLimit: this.#historyLimit,
      nextVersion: () => ++this.#resourceVersion,
      committed: (event) => {
        for (const observer of [...this.#observers]) observer.next({ resource: name, event });
      },
    });
    if (this.#dropped.has(name)) resource.history.compact(this.#resourceVersion + 1);
    this.#resources.set(name, resource);
    return resource;
  }

  /** Ends a resource with its objects and its watches; whoever asks for it again finds it empty and without a past. */
  drop(name: string): void {
    this.#resources.get(name)?.close();
    this.#resources.delete(name);
    this.#dropped.add(name);
  }

  /** Ends every watch. */
  close(): void {
    for (const resource of this.#resources.values()) resource.close();
  }

  resources(): ReadonlyMap<string, ResourceStorage> {
    return this.#resources;
  }

  /** Emits each write after it was committed and its watchers were told. */
  readonly commits$ = new Observable<Commit>((subscriber) => {
    this.#observers.add(subscriber);
    return () => this.#observers.delete(subscriber);
  });

  /** Emits once, as soon as the storage is at least as new as `resourceVersion`. */
  reached$(resourceVersion: number): Observable<void> {
    return this.commits$.pipe(
      map(({ event }) => event.resourceVersion),
      startWith(this.#resourceVersion),
      filter((current) => current >= resourceVersion),
      map(() => undefined),
      take(1),
    );
  }

  /** Forgets the history before `resourceVersion` (default: all of it). */
  compact(resourceVersion = this.#resourceVersion): void {
    for (const resource of this.#resources.values()) resource.history.compact(resourceVersion);
  }
}
