/** As much of a pod as scenarios look at. */
export interface SeenPod {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** What a scenario wants to hear of a client; a contestant says what it can. */
export interface ClientOptions {
  /** Of the server. */
  readonly url: string;
  /** Nodes whose pods somebody follows, where a client has something for that. */
  readonly nodes?: readonly string[];
  /** Whenever a list is complete and in the cache, the first one too. */
  readonly listed?: () => void;
  /** With each update, once it is in the cache. */
  readonly updated?: (pod: SeenPod) => void;
  /** Whenever the client tells anybody anything about its content. */
  readonly emitted?: () => void;
}

/** A client that runs: it has a cache of all pods, and keeps it current. */
export interface Client {
  /** Resolves when the first list is in the cache. */
  readonly synced: Promise<void>;
  /** Also keeps the cache in memory, for as long as somebody may call it. */
  readonly stop: () => void;
}

export type StartClient = (options: ClientOptions) => Client;

/** Who takes part in a scenario; each is loaded in its own process only. */
export type Clients = Readonly<Record<string, () => Promise<StartClient>>>;

export async function loadClient(clients: Clients, contestant: string): Promise<StartClient> {
  const load = clients[contestant];
  if (load === undefined) throw new Error(`${contestant} does not take part; ${Object.keys(clients).join(', ')} do`);
  return load();
}
