import type { Observable } from 'rxjs';
import type { KubeClient } from './kube-client.js';

/** What all sources of one client know together, as long as the client exists. */
export interface ClientRecord {
  /** The API groups whose server does not support streaming lists (R26 ▲). */
  readonly groupsWithoutStreams: Set<string>;
  /** The last request for the version of the server, for each storage. */
  readonly requestedVersions: Map<string, RequestedVersion>;
  /** The client through which the first lists are sent. */
  firstLists: Pick<KubeClient, 'exchange'> | undefined;
}

interface RequestedVersion {
  readonly at: number;
  readonly version$: Observable<string | undefined>;
}

const records = new WeakMap<KubeClient, ClientRecord>();

/**
 * Returns the record of a client. It is not a property of the client, because any object with an
 * `exchange` is a client, also a frozen one.
 */
export function recordOf(client: KubeClient): ClientRecord {
  const record = records.get(client) ?? {
    groupsWithoutStreams: new Set(),
    requestedVersions: new Map(),
    firstLists: undefined,
  };
  records.set(client, record);
  return record;
}
