import { compareResourceVersions } from '../../kubernetes/object.js';
import type { Lease } from '../../kubernetes/resources/everyday.js';

/** The highest version that a write created, by resource as in `kubectl` (`jobs.batch`). */
export type WrittenVersions = ReadonlyMap<string, string>;

export const nothingWritten: WrittenVersions = new Map();

/** The versions that the caches of the next owner of keys must have reached before it works. */
export interface HandOver {
  /**
   * Ends the leadership if the clock has passed its deadline: its timer is late after a blocked
   * event loop, a stopped process or sleep of the machine. Queues that have
   * the hand-over call it before each run. Costs two readings of the clock.
   *
   * @returns false if leadership is overdue and cannot end within the call; start nothing before
   *   the next microtask
   */
  readonly endIfOverdue?: (() => boolean) | undefined;
  /** Returns the versions that the former owners of a key had written when it was handed over. */
  received(key: string): WrittenVersions;
  /** Adds versions to those that this replica leaves; read whenever it writes its Lease. */
  leave(written: WrittenVersions): void;
}

/** The part of a run through which its key is handed over between replicas. */
export interface RunHandOver {
  /** The highest versions that the runs of this controller have written. */
  readonly written: WrittenVersions;
  /**
   * Returns true if a cache of the controller has not reached these versions yet. Then the run must
   * end without any work. The key runs again when the caches have reached the versions.
   */
  awaits(versions: WrittenVersions): boolean;
}

/** Why a run that has to wait for its caches is skipped. */
export const unreachedVersions = 'the caches lack writes of the former owner of the key';

/** The maps of all controllers that have written for one replica. */
export class WrittenByReplica {
  readonly #maps = new Set<WrittenVersions>();

  readonly leave = (written: WrittenVersions): void => {
    this.#maps.add(written);
  };

  get versions(): WrittenVersions {
    return [...this.#maps].reduce(highest, nothingWritten);
  }
}

/** Records a write. Ignores a version that is not an integer: it cannot be compared. */
export function recordVersion(written: Map<string, string>, resource: string, version: string): void {
  if ((compareResourceVersions(version, written.get(resource) ?? '1') ?? -1) >= 0) written.set(resource, version);
}

/** Returns the higher version of each resource; `one` itself if `other` has none that is higher. */
export function highest(one: WrittenVersions, other: WrittenVersions): WrittenVersions {
  const both = new Map(one);
  for (const [resource, version] of other) recordVersion(both, resource, version);
  return [...both].every(([resource, version]) => one.get(resource) === version) ? one : both;
}

const annotation = 'rx-informers.github.io/written-versions';

/** The longest annotation, in characters. Of more resources, the latest versions are kept. */
const maxTextLength = 1_024;

/** Returns the annotation of a Lease that leaves these versions to the next owner. */
export function writtenAnnotation(written: WrittenVersions): Readonly<Record<string, string>> {
  const latestFirst = [...written].sort(([, one], [, other]) => compareResourceVersions(other, one) ?? 0);
  let text = '';
  for (const [resource, version] of latestFirst) {
    const longer = `${text}${text && ', '}${resource}: ${version}`;
    if (longer.length <= maxTextLength) text = longer;
  }
  return text === '' ? {} : { [annotation]: text };
}

/** Returns the versions that a Lease leaves. Any client may have written the Lease. */
export function writtenIn(lease: Lease | undefined): WrittenVersions {
  const text: unknown = lease?.metadata.annotations?.[annotation];
  const written = new Map<string, string>();
  if (typeof text !== 'string' || text.length > maxTextLength) return written;
  for (const [, resource = '', version = ''] of text.matchAll(/([^\s:,]+): (\d+)/g))
    recordVersion(written, resource, version);
  return written;
}
