import { defer, map, of, switchMap, type Observable, type SchedulerLike } from 'rxjs';
import { objectKey, splitMetaNamespaceKey } from '../../kubernetes/keys.js';
import { uidOf } from '../../kubernetes/object.js';
import { resourcePath } from '../../kubernetes/resource-path.js';
import { type Resource, resourceName } from '../../kubernetes/resource.js';
import {
  requestJson,
  type KubeClient,
  type KubeRequest,
  type RecordedWrite,
} from '../../sources/client/kube-client.js';
import { apiCall, type ApiCall } from './api-call.js';
import type { CallOptions, SelectionOptions, Target, WriteOptions } from './call-options.js';
import { isObjectNotFound } from './errors.js';
import { type ReadPage, requestPage } from './read-pages.js';
import {
  deletionsOf,
  foundDeleted,
  reportWrites,
  confirmedWrite,
  type AnsweredCall,
  type KubernetesList,
  type WriteVerb,
} from './reported-writes.js';
import { answeredWithin, keyOf, selectionQuery } from './request-parts.js';

interface CallsOptions {
  readonly resource: Resource<unknown>;
  readonly timeout: number;
  readonly scheduler: SchedulerLike;
}

function nameOf(target: Target): string {
  return typeof target === 'string' ? target : (objectKey(target) ?? 'without a name');
}

/** Sends the requests of a `ResourceClient`, each within the timeout, and reports its writes. */
export class Calls {
  constructor(
    private readonly connection: KubeClient,
    private readonly options: CallsOptions,
  ) {}

  call<Answer>(verb: string, target: Target, toRequest: () => KubeRequest, { signal }: CallOptions): ApiCall<Answer> {
    return apiCall(this.#answerTo<Answer>(toRequest), signal, this.describe(verb, target));
  }

  /** Returns a function that names a call in messages. */
  describe(verb: string, target: Target): () => string {
    return () => `${verb} of ${resourceName(this.options.resource)} ${nameOf(target)}`;
  }

  /** Returns a call that writes, and reports its writes to clients that record writes. */
  write<Answer>(
    verb: WriteVerb,
    target: Target,
    toRequest: () => KubeRequest,
    { signal, dryRun, waitForCache = true }: WriteOptions,
    required: Pick<AnsweredCall, 'uid' | 'requiredVersion'>,
  ): ApiCall<Answer> {
    const { resource } = this.options;
    const writesOf = (answer: Answer): readonly RecordedWrite[] => {
      if (dryRun === true) return [];
      const known = verb === 'delete' ? splitMetaNamespaceKey(keyOf(target)) : {};
      const written = confirmedWrite({ verb, resource, target: known, waitForCache, ...required }, answer);
      return written === undefined ? [] : [written];
    };
    const writesOfError = (error: unknown): readonly RecordedWrite[] => {
      const uid = typeof target === 'string' ? undefined : uidOf(target);
      if (uid === undefined || dryRun === true || !isObjectNotFound(error, keyOf(target))) return [];
      return [foundDeleted({ verb, resource, target: splitMetaNamespaceKey(keyOf(target)), uid, waitForCache })];
    };
    const answer$ = reportWrites<Answer>(toRequest, (request) => this.#answerTo(request), writesOf, writesOfError);
    return apiCall(answer$, signal, this.describe(verb, target));
  }

  /** Deletes a collection, and reports the deletions that its answer confirms. */
  deleteCollection(
    toRequest: () => KubeRequest,
    { waitForCache, isDryRun }: { readonly waitForCache: boolean; readonly isDryRun: boolean },
  ): Observable<unknown> {
    const deleted = { verb: 'delete', resource: this.options.resource, target: {}, waitForCache } as const;
    return reportWrites(
      toRequest,
      (request) => this.#answerTo(request, (sent) => this.#withVersion(sent)),
      (answer) => (isDryRun ? [] : deletionsOf(deleted, answer)),
    );
  }

  /** Returns a function that reads one page of a list. */
  pages<T>(selection: SelectionOptions): ReadPage<T> {
    const resource = this.options.resource as Resource<T>;
    return (page) =>
      this.#answerTo(
        () => {
          const path = resourcePath(resource, { namespace: selection.namespace });
          return { method: 'GET', path, query: { ...selectionQuery(selection), ...page } };
        },
        (request) => requestPage(this.connection, request, resource),
      );
  }

  #answerTo<Answer>(
    toRequest: () => KubeRequest,
    read: (request: KubeRequest) => Observable<Answer> = (request) => requestJson(this.connection, request),
  ): Observable<Answer> {
    const { timeout, scheduler } = this.options;
    return defer(() => answeredWithin(toRequest(), read, timeout, scheduler));
  }

  /** Adds the collection's new version to the answer to its deletion if that lists no objects. */
  #withVersion({ recordWrites, ...request }: KubeRequest): Observable<unknown> {
    let isRecorded = false;
    const recorded: KubeRequest['recordWrites'] = (record) => {
      isRecorded = true;
      recordWrites?.(record);
    };
    const list: KubeRequest = { method: 'GET', path: request.path, query: { ...request.query, limit: 1 } };
    return requestJson<object>(this.connection, { ...request, recordWrites: recorded }).pipe(
      switchMap((answer) => {
        if ('items' in answer || !isRecorded) return of(answer);
        return requestJson<KubernetesList>(this.connection, list).pipe(map(({ metadata }) => ({ metadata })));
      }),
    );
  }
}
