import type { Observable, SchedulerLike } from 'rxjs';
import type { Catalog, RuleFunctions } from '../resources/catalog.js';
import type { Storage } from './storage.js';
import type { StoredObject } from './stored-object.js';

/** The state that all parts of the embedded API server share. */
export interface ServerContext {
  readonly storage: Storage;
  readonly catalog: Catalog;
  readonly scheduler: SchedulerLike;
  readonly random: () => number;
  readonly settings: ServerSettings;
  /** The functions for the rules of definitions, by the name of the definition. */
  readonly ruleFunctions: Map<string, RuleFunctions>;
}

interface ServerSettings {
  readonly watchList: boolean;
  readonly watchListCompression: boolean;
  /** Milliseconds between two bookmarks of a watch. */
  readonly bookmarkInterval: number;
  readonly podLogs: (request: PodLogRequest) => PodLog;
  /** `undefined` if metrics.k8s.io is not served. */
  readonly containerUsage: ((request: ContainerUsageRequest) => ContainerUsage | undefined) | undefined;
}

/** The resource usage of a container. */
export interface ContainerUsage {
  /** The CPU usage, in cores. */
  readonly cpu: number;
  /** The memory usage, in bytes. */
  readonly memory: number;
}

/** The container whose usage is read. */
export interface ContainerUsageRequest {
  readonly pod: StoredObject;
  readonly container: string;
  /** Milliseconds since 1970. There is one measurement every 15 s. */
  readonly at: number;
}

/** A line that a container has written. */
export interface PodLogLine {
  /** The time of the write, in milliseconds since 1970. */
  readonly time: number;
  /** The line without its line break. */
  readonly text: string;
}

/** The log of one container. */
export interface PodLog {
  /** The lines written so far, oldest first. */
  readonly lines: readonly PodLogLine[];
  /** The lines that follow, for `follow=true`, until the pod is deleted. Default: none. */
  readonly lines$?: Observable<PodLogLine> | undefined;
}

/** The container whose log is read. */
export interface PodLogRequest {
  readonly pod: StoredObject;
  readonly container: string;
  /** True for the log of the previous run, before the last restart. */
  readonly previous: boolean;
}

/** Returns the time of the server's clock in the format of the API: RFC 3339 in whole seconds. */
export function timestamp(context: ServerContext, secondsFromNow = 0): string {
  const milliseconds = context.scheduler.now() + secondsFromNow * 1000;
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
