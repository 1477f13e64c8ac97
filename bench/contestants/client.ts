/** The fields of a pod that scenarios read. */
export interface SeenPod {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * The server of a client, and callbacks for the events that a scenario measures. A contestant calls
 * the callbacks that it can support.
 */
export interface ClientOptions {
  /** The URL of the server. */
  readonly url: string;
  /** The nodes whose pods the client subscribes to, if it supports that. */
  readonly nodes?: readonly string[];
  /** Called when a list is complete and in the cache. The first list counts, too. */
  readonly listed?: () => void;
  /** Called for each update once the update is in the cache. */
  readonly updated?: (pod: SeenPod) => void;
  /** Called each time the client tells its subscribers about objects or changes of its cache. */
  readonly emitted?: () => void;
}

/** A running client: it has a cache of all pods, and keeps it up to date. */
export interface Client {
  /** Resolves when the first list is in the cache. */
  readonly synced: Promise<void>;
  /** Stops the client. As long as this function is referenced, the cache stays in memory. */
  readonly stop: () => void;
}

export type StartClient = (options: ClientOptions) => Client;

/**
 * The contestants of a scenario, as functions that load them. Each contestant is measured in its
 * own process, which loads no other contestant.
 */
export type Clients = Readonly<Record<string, () => Promise<StartClient>>>;

export async function loadClient(clients: Clients, contestant: string): Promise<StartClient> {
  const load = clients[contestant];
  if (load === undefined) throw new Error(`${contestant} does not take part; ${Object.keys(clients).join(', ')} do`);
  return load();
}
