import type { KubeClient, Resource } from 'rx-informers';
import type { EventsV1Event } from 'rx-informers/resources';
import type { Subscription } from 'rxjs';
import type { ClusterState } from './cluster-state.js';

/** A kind of API server: where a scenario can play, and what it can ask for. */
export interface Playhouse {
  /** Whether what a deleted object owned goes with it; otherwise owner references are all that can be checked. */
  readonly collectsGarbage: boolean;
  /** Whether it serves `events.k8s.io`. */
  readonly storesEvents: boolean;
  open(): Promise<Stage>;
  /** Resolves when the server answers again; undefined where it cannot be restarted. */
  readonly restart?: () => Promise<void>;
}

/** A namespace for one scenario, where the kind Website is known. */
export interface Stage {
  readonly namespace: string;
  /** The operator's connection. */
  readonly client: KubeClient;
  /** Whoever wants websites. */
  readonly user: Person;
  /** Somebody who interferes: `kubectl`, where there is a server that it can talk to. */
  readonly kubectl: Person;
  /** What the server has, read anew. */
  look(): Promise<ClusterState>;
  /** The same as a judge reads it who does not use this library, where there is one. */
  judge(): Promise<ClusterState>;
  events(): Promise<readonly EventsV1Event[]>;
  /** Plays the Deployment controller, until the scenario is over. */
  startDeployments(): Subscription;
  close(): Promise<void>;
}

/** Somebody besides the operator, who works in the namespace of the stage. */
export interface Person {
  readonly create: (resource: Resource<unknown>, name: string, fields: object) => Promise<void>;
  /** A merge patch. */
  readonly patch: (resource: Resource<unknown>, name: string, patch: object) => Promise<void>;
  /** Server-side apply of a part of the status. */
  readonly applyStatus: (resource: Resource<unknown>, name: string, status: object) => Promise<void>;
  readonly remove: (resource: Resource<unknown>, name: string) => Promise<void>;
}
