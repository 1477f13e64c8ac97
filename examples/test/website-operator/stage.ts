import type { KubeClient, Resource } from 'rx-informers';
import type { EventsV1Event } from 'rx-informers/resources';
import type { Subscription } from 'rxjs';
import type { ClusterState } from './cluster-state.js';

/** A kind of API server on which scenarios run, with its features. */
export interface Playhouse {
  /**
   * True if the server deletes the dependents of a deleted object. If false, tests can only check
   * owner references.
   */
  readonly collectsGarbage: boolean;
  /** True if the server serves `events.k8s.io`. */
  readonly storesEvents: boolean;
  open(): Promise<Stage>;
  /**
   * Restarts the server, and resolves when it answers again. Undefined if the server cannot be
   * restarted.
   */
  readonly restart?: () => Promise<void>;
}

/** A namespace for one scenario. The kind Website is installed. */
export interface Stage {
  readonly namespace: string;
  /** The connection of the operator. */
  readonly client: KubeClient;
  /** The user who creates websites. */
  readonly user: Person;
  /**
   * A user who changes the operator's objects. The user works with `kubectl` if the server supports
   * it.
   */
  readonly kubectl: Person;
  /** Reads the objects of the server again. */
  look(): Promise<ClusterState>;
  /** Reads the same objects without this library, if that is possible, for an independent check. */
  judge(): Promise<ClusterState>;
  events(): Promise<readonly EventsV1Event[]>;
  /** Simulates the Deployment controller until the scenario ends. */
  startDeployments(): Subscription;
  close(): Promise<void>;
}

/** A user who is not the operator and works in the namespace of the stage. */
export interface Person {
  readonly create: (resource: Resource<unknown>, name: string, fields: object) => Promise<void>;
  /** Sends a merge patch. */
  readonly patch: (resource: Resource<unknown>, name: string, patch: object) => Promise<void>;
  /** Sends a part of the status by server-side apply. */
  readonly applyStatus: (resource: Resource<unknown>, name: string, status: object) => Promise<void>;
  readonly remove: (resource: Resource<unknown>, name: string) => Promise<void>;
}
