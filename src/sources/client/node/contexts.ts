import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  asyncScheduler,
  defer,
  distinctUntilChanged,
  filter,
  map,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { messageOf, RxInformersError } from '../../../kubernetes/errors.js';
import { checkedDuration } from '../../../scheduling/clock.js';
import type { KubeConfigLike } from './credentials.js';

/** One context of a kubeconfig. */
export interface KubeContext {
  readonly name: string;
  /** The name of its cluster. */
  readonly cluster: string;
  readonly namespace: string | undefined;
  /** Its own kubeconfig, for {@link kubeClient}, {@link kubeCredentials} and `client-node`. */
  readonly kubeConfig: KubeConfigLike;
}

/** The contexts of the files of a kubeconfig. */
export interface KubeContexts {
  /** In the order of the files. A context that has not changed is the same object as before. */
  readonly contexts: readonly KubeContext[];
  /** The name of the current context; `''` if there is none. */
  readonly current: string;
  /** Why the files could not be read last, if so. The contexts are those that were read before. */
  readonly error: RxInformersError<'RXI_KUBECONFIG'> | undefined;
}

/** Options of {@link contexts$}. */
export interface ContextsOptions {
  /**
   * The file of the kubeconfig. Default: the files in `KUBECONFIG`, merged as kubectl merges them,
   * or `~/.kube/config`.
   */
  readonly file?: string | undefined;
  /** Milliseconds between two reads of the files. Default 1,000. */
  readonly interval?: number | undefined;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** The class `KubeConfig` of `@kubernetes/client-node` (1.4 or 2). */
export type KubeConfigClass = new () => Omit<KubeConfigLike, 'contexts' | 'currentContext'> & {
  readonly clusters: readonly { readonly name: string }[];
  readonly users: readonly { readonly name: string }[];
  readonly contexts: readonly (NonNullable<KubeConfigLike['contexts']>[number] & { readonly user?: string })[];
  readonly currentContext: string;
  loadFromString(text: string): void;
  loadFromOptions(options: object): void;
  makePathsAbsolute(folder: string): void;
};

/**
 * Emits the contexts of a kubeconfig, and emits again when its files change: when they are edited,
 * replaced by another file, or deleted and written again.
 *
 * The files are read once in each `interval`, because notifications of the file system do not work
 * for links and network drives. A change is used when two reads in succession return the same text.
 * So a change takes one to two intervals.
 *
 * Each subscriber reads the files for itself, and gets contexts of its own: the same context is
 * another object for another subscriber. If several parts of a program need the contexts, share
 * them: `contexts$(KubeConfig).pipe(shareReplay({ bufferSize: 1, refCount: true }))`.
 *
 * **Guarantees**: a context with the same cluster, user and namespace stays the same object, so its
 * client and its sources can be kept. While a file is incomplete, malformed or deleted, the last
 * contexts stay, and one value with `error` is emitted. A file that has not existed yet counts as
 * empty, as for kubectl; of several entries with one name, the first one counts. Relative paths
 * belong to the folder of their file. Unsubscribing ends the reads.
 * **Does not guarantee**: that a token file or an exec plugin that a context names exists; its
 * client reports that. **Errors**: none.
 *
 * @param KubeConfig the class of `@kubernetes/client-node`, which parses the files
 * @param options which file, and how often it is read; see {@link ContextsOptions}
 * @returns an Observable that does not complete
 * @throws `RXI_INVALID_OPTION` if `interval` is not a duration
 * @example
 * import { KubeConfig } from '@kubernetes/client-node';
 * import { contexts$, kubeClient } from 'rx-informers/node';
 *
 * contexts$(KubeConfig).subscribe(({ contexts, error }) => {
 *   console.log(contexts.map(({ name, cluster }) => `${name}: ${cluster}`), error?.message);
 * });
 */
export function contexts$(
  KubeConfig: KubeConfigClass,
  { file, interval = 1_000, scheduler = asyncScheduler }: ContextsOptions = {},
): Observable<KubeContexts> {
  checkedDuration('interval', interval);
  return defer(() => {
    const files = file === undefined ? defaultFiles() : [file];
    const existing = new Set<string>();
    let seen: readonly ReadText[] | undefined;
    let known: ReadonlyMap<string, KubeContext> = new Map();
    let last: KubeContexts = { contexts: [], current: '', error: undefined };
    return timer(0, interval, scheduler).pipe(
      map(() => files.map(readText)),
      // The text of the first read is used at once, another one if two reads have returned it.
      filter((texts) => {
        const isSettled = seen === undefined || isDeepStrictEqual(texts, seen);
        seen = texts;
        return isSettled;
      }),
      distinctUntilChanged((one, other) => isDeepStrictEqual(one, other)),
      map((texts) => {
        try {
          const parts = files.flatMap((path, index) => parsed(KubeConfig, path, texts[index], existing));
          known = contextsIn(KubeConfig, parts, known);
          const current = parts.find(({ currentContext }) => currentContext)?.currentContext ?? '';
          last = { contexts: [...known.values()], current, error: undefined };
        } catch (error) {
          // One value reports it, even if the incomplete file changes again.
          last = last.error ? last : { ...last, error: error as RxInformersError<'RXI_KUBECONFIG'> };
        }
        return last;
      }),
      distinctUntilChanged(),
    );
  });
}

function defaultFiles(): readonly string[] {
  const files = process.env['KUBECONFIG']?.split(delimiter).filter((name) => name !== '') ?? [];
  return files.length > 0 ? files : [join(homedir(), '.kube', 'config')];
}

/** The text of a file, or the reason why there is none. */
type ReadText = string | { readonly code: unknown; readonly problem: string };

function readText(path: string): ReadText {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code, problem: messageOf(error) };
  }
}

/** Returns the content of one file, or nothing if the file has not existed yet. */
function parsed(
  KubeConfig: KubeConfigClass,
  file: string,
  text: ReadText = '',
  existing: Set<string>,
): readonly InstanceType<KubeConfigClass>[] {
  try {
    if (typeof text !== 'string') {
      if (text.code === 'ENOENT' && !existing.has(file)) return [];
      throw new Error(text.problem);
    }
    existing.add(file);
    const content = new KubeConfig();
    content.loadFromString(text);
    content.makePathsAbsolute(dirname(file));
    return [content];
  } catch (cause) {
    const message = `cannot read the kubeconfig ${file}, so its last contexts stay: ${messageOf(cause)}`;
    throw new RxInformersError('RXI_KUBECONFIG', message, { file, cause });
  }
}

/**
 * Merges the files: the first entry of each name counts. Returns the contexts by the text of their
 * content, so that an unchanged context is found in `known`.
 */
function contextsIn(
  KubeConfig: KubeConfigClass,
  files: readonly InstanceType<KubeConfigClass>[],
  known: ReadonlyMap<string, KubeContext>,
): ReadonlyMap<string, KubeContext> {
  const contexts = files.flatMap((each) => each.contexts);
  const names = new Set(contexts.map(({ name }) => name));
  return new Map(
    Array.from(names, (name) => {
      const own = contexts.filter((each) => each.name === name).slice(0, 1);
      const { cluster = '', user, namespace } = own[0] ?? {};
      const clusters = files.flatMap((each) => each.clusters.filter((entry) => entry.name === cluster)).slice(0, 1);
      const users = files.flatMap((each) => each.users.filter((entry) => entry.name === user)).slice(0, 1);
      const content = { clusters, users, contexts: own, currentContext: name };
      const text = JSON.stringify(content);
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromOptions(content);
      return [text, known.get(text) ?? { name, cluster, namespace, kubeConfig }];
    }),
  );
}
