import type { KubernetesObject } from 'rx-informers';
import type { CollectionHistory } from 'rx-informers/history';
import type { PastRequest } from 'rx-informers/shared-worker';
import {
  BehaviorSubject,
  concatMap,
  defer,
  EMPTY,
  expand,
  filter,
  finalize,
  map,
  Observable,
  of,
  Subject,
  take,
  tap,
} from 'rxjs';
import { partOf, readPast, type PastOutline, type PastPart } from './past-text.js';

/** Requests a part of what the shared worker has recorded of one collection, as text. */
export type ReadPart = (request: PastRequest) => Observable<string>;

/** The size of a part in UTF-16 code units: a few milliseconds of work. */
const partSize = 256 * 1024;

/**
 * The oldest version of a tab began in the worker up to this many milliseconds later, because their
 * clocks may differ a little.
 */
const overlap = 250;

/** Adds what is recorded outside of the worker, on disk, before a part of the worker. */
export type ContinuePart = (part: PastPart, request: PastRequest) => Observable<PastPart>;

/** Continues with nothing. */
export const noContinuation: ContinuePart = (part) => of(part);

const noOutline: PastOutline = { since: undefined, spans: [] };

/** A request to read back. */
interface Request {
  readonly target: () => number;
  readonly done: Subject<void>;
}

/**
 * The past of one collection in the shared worker. It adds earlier versions to the history of the
 * tab, as far back as the page needs them. Parts are read one after the other.
 */
export class WorkerPast {
  /** The number of changes in the worker over time. `readOutline` brings it up to date. */
  readonly outline$ = new BehaviorSubject<PastOutline>(noOutline);
  /** Emits after earlier versions were added. */
  readonly added$ = new Subject<void>();
  /** Continues where the worker has no earlier versions. Default: with nothing. */
  continuation: ContinuePart = noContinuation;
  readonly #requests = new Subject<Request>();
  /** The time of the oldest version that came from the worker, as the history names it. */
  #read: number | undefined;

  constructor(
    private readonly history: CollectionHistory<KubernetesObject>,
    private readonly readPart: ReadPart,
  ) {
    this.#requests
      .pipe(
        concatMap(({ target, done }) =>
          // A page that is loaded with a time in its address has no objects yet.
          this.history.newest$.pipe(
            filter((newest) => newest !== undefined),
            take(1),
            concatMap(() => this.#part(target)),
            expand(() => this.#part(target)),
            finalize(() => {
              done.complete();
            }),
          ),
        ),
      )
      .subscribe();
  }

  /** Reads versions until the history reaches back to a time, or the worker has no earlier ones. */
  readBack(time: number | (() => number)): Observable<void> {
    return new Observable((subscriber) => {
      const done = new Subject<void>();
      done.subscribe(subscriber);
      this.#requests.next({ target: typeof time === 'number' ? () => time : time, done });
    });
  }

  /** Reads the number of changes over time. */
  readOutline(): Observable<void> {
    return this.#parts({ before: 0, size: 0 }).pipe(
      map((part) => {
        this.outline$.next(readPast(this.history, part).outline);
      }),
    );
  }

  #part(target: () => number): Observable<void> {
    return defer(() => {
      const { oldest } = this.history;
      const { since } = this.outline$.value;
      if (oldest === undefined || oldest.time <= target()) return EMPTY;
      const { time } = oldest;
      const isExact = this.#read === time;
      if (isExact && since !== undefined && time <= since) return EMPTY;
      return this.#parts({ before: isExact ? time : time + overlap, size: partSize }).pipe(
        map((part) => readPast(this.history, part)),
        tap(({ outline }) => {
          this.outline$.next(outline);
          this.#read = this.history.oldest?.time;
          this.added$.next();
        }),
        concatMap(({ oldest: reached, isComplete }) => {
          // The history keeps no earlier version if it does not reach back further than before.
          const isEnd = isComplete || (isExact && this.#read === time);
          return reached === undefined || isEnd ? EMPTY : [undefined];
        }),
      );
    });
  }

  #parts(request: PastRequest): Observable<PastPart> {
    return this.readPart(request).pipe(concatMap((text) => this.continuation(partOf(text), request)));
  }
}
