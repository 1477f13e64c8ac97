import { defer, finalize, identity, tap, type MonoTypeOperatorFunction } from 'rxjs';
import { knownInternals } from '../../collections/log-collection.js';
import { isDevelopment } from '../../kubernetes/development.js';
import { metaNamespaceKey } from '../../kubernetes/keys.js';
import { resourceName } from '../../kubernetes/resource.js';
import type { LogFields, Logger } from '../../requests/logger.js';
import { unrecordedWrites } from '../../requests/resource-client/reported-writes.js';
import { type KubeRequest, type RecordedWrite, requestLine } from '../../sources/client/kube-client.js';
import { checkReads, type ReadCheck, type ReadCollection } from '../../store/pure-function.js';
import type { CachedSource } from './sources.js';
import type { Trigger } from './triggers.js';

/** A write that was not recorded, and the keys that were running when the server answered. */
interface UnrecordedWrite {
  readonly write: RecordedWrite;
  readonly keys: readonly string[];
}

/** The maximum number of remembered writes that were not recorded. */
const maxWrites = 256;

/**
 * Warns of runs that lose the protection of their controller: they read a collection that is not
 * listed, or write without the client of the run. Each warning is logged once for each name.
 */
export class UnguardedRuns {
  readonly #warned = new Set<string>();

  constructor(private readonly logger: Logger) {}

  /**
   * Returns `reconcile`. In development, it warns of each collection that it reads synchronously,
   * unless the collection, or all collections from which it is computed, are listed.
   */
  checkedReads<Request, Output>(
    reconcile: (request: Request) => Output,
    sources: readonly CachedSource[],
  ): (request: Request) => Output {
    const listed = new Set<ReadCollection | undefined>(sources.map(({ collection }) => knownInternals(collection)));
    // A collection of other code may read any informer.
    if (!isDevelopment() || listed.has(undefined)) return reconcile;
    const isListed = (collection: ReadCollection): boolean =>
      listed.has(collection) || collection.inputs?.every(isListed) === true;
    const check: ReadCheck = (collection) => {
      const { name } = collection;
      if (!isListed(collection)) {
        const message = `reconcile reads a collection ${name} that the controller does not list. So a run may begin before ${name} has synced, and before it shows the writes of earlier runs. Add it to owns or watches; with { source, map: () => [] }, it triggers no runs. This is reported once for each name, in development only`;
        this.#warn(`read ${name}`, { collection: name }, message);
      }
      return undefined;
    };
    return (request) => checkReads(check, () => reconcile(request));
  }

  /**
   * Mirrors triggers. In development, warns of a write that was not recorded if it triggered a key
   * with a run in progress (`runningKeys`) when it was answered.
   */
  checkedTriggers(runningKeys: () => readonly string[]): MonoTypeOperatorFunction<Trigger> {
    if (!isDevelopment()) return identity;
    return (triggers$) =>
      defer(() => {
        const last = new Map<string, UnrecordedWrite>();
        const note = (write: RecordedWrite): void => {
          const keys = runningKeys();
          if (keys.length > 0) last.set(stepName({ ...write, isDeleted: write.isGone !== false }), { write, keys });
          for (const oldest of last.keys()) {
            if (last.size <= maxWrites) return;
            last.delete(oldest);
          }
        };
        unrecordedWrites.add(note);
        return triggers$.pipe(
          tap(({ key, version }) => {
            const unrecorded = version && last.get(stepName(version));
            if (unrecorded?.keys.includes(key) === true) this.#unrecorded(key, unrecorded.write);
          }),
          finalize(() => unrecordedWrites.delete(note)),
        );
      });
  }

  /** Warns of a request that may write, but cannot be recorded. */
  unrecordable(key: string, request: KubeRequest): void {
    const { method, url } = requestLine(request);
    const message =
      'the client of a run received a request whose writes cannot be recorded, so the key does not wait until the caches show them. A wrapper of this client must pass on all properties of a request, for example { ...request, headers }. Make other requests with a resource client. This is reported once';
    this.#warn('request', { key, request: `${method} ${url}` }, message);
  }

  #unrecorded(key: string, { verb, resource, object }: RecordedWrite): void {
    // The warning about the wrapper has been logged, through which this write was probably sent.
    if (this.#warned.has('request')) return;
    const name = resourceName(resource);
    const message = `during a run of this key, ${name} were written without the client of the run, and the write has triggered the key. A key does not wait until the caches show such a write. If reconcile makes it, write through request.clientOf(…). This is reported once for each resource, in development only`;
    this.#warn(`write ${name}`, { key, write: `${verb} ${name} ${metaNamespaceKey(object)}` }, message);
  }

  #warn(subject: string, fields: LogFields, message: string): void {
    if (this.#warned.has(subject)) return;
    this.#warned.add(subject);
    this.logger.warn(fields, message);
  }
}

/** Returns a name for a version of an object, or for its deletion, whose version is not known. */
function stepName(step: { uid: string; resourceVersion?: string | undefined; isDeleted: boolean }): string {
  return `${step.uid}@${step.isDeleted ? '' : step.resourceVersion}`;
}
