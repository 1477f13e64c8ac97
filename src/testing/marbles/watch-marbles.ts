import {
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  throwError,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { AnyKubernetesObject } from '../../kubernetes/object.js';
import type { SourceError } from '../../sources/model/errors.js';
import type { SourceStatus, WatchEvent, WatchEventBatch } from '../../sources/model/watch-event.js';
import { connectionReset, statusErrorOf } from './marble-errors.js';
import { type MarbleObjects, marbleObject, checkMention } from './marble-objects.js';
import { parseMarbles, type Mention } from './parse-marbles.js';
import { type WatchToken, parseWatchToken } from './parse-watch-marbles.js';

/** Options of `watchMarbles`. */
export interface WatchMarblesOptions {
  /** The error of `#`; default an `Error`. */
  readonly error?: unknown;
  /** Default `asyncScheduler`, virtual in `TestScheduler.run`; elsewhere a frame is 1 ms. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Returns a source that emits the events of a marble diagram.
 *
 * | written | emitted |
 * | --- | --- |
 * | `L(ab)` `L()` | `LISTED` with `a` and `b`; `LISTED` without objects |
 * | `A(a)` `M(a)` `D(a)` | `ADDED`, `MODIFIED`, `DELETED`; with several names, one event for each, in one batch |
 * | `[D(a)A(b)B]` | one batch with all events in the brackets |
 * | `B` | `BOOKMARK` |
 * | `410` `403` `429` `500` … | `ERROR` with a `StatusError` that has this code and the matching reason |
 * | `X` | `ERROR` with an `RXI_CONNECTION`: the connection was reset |
 * | `S(w)` | `STATUS`: l listing, w watching, r reconnecting, b backing-off, f forbidden, n not-found, s stopped |
 * | `\|` `#` | the source completes; the source fails |
 * | `-`, space, ` 5s ` | one frame without events; no frame; this amount of time (`ms`, `s`, `m`, with a space before and after) |
 *
 * One character is one frame, as in rxjs. A token happens in the frame of its first character and
 * takes as many frames as it has characters, so tokens in one column happen at the same time.
 *
 * Without a comma, each letter in parentheses is a name. `(web-1,db)` and `(web-1,)` are long
 * names. `a'` is `a` created again, with another uid. Each event has the next resourceVersion. A
 * list has the last state of each object; `*` marks an object that changed without an event in the
 * watch: `L(a*b)`.
 *
 * **Guarantees**: cold; every subscriber receives the same objects (the same references), at times
 * counted from its own subscription.
 *
 * @param diagram the diagram
 * @param objects the objects that the diagram names
 * @param options the error of `#`, and the clock
 * @returns a source for `informer`
 * @throws `RXI_MARBLE_SYNTAX` at once, with the column, for a diagram that cannot be parsed and for
 *   names without an object
 * @example
 * import { aPod, watchMarbles } from 'rx-informers/testing';
 *
 * const a = aPod({ name: 'a', node: 'worker-1' });
 * const b = aPod({ name: 'b', node: 'worker-1' });
 * const source = watchMarbles('L(a)--A(b)-M(a)-410-L(b)|', { a, b });
 */
export function watchMarbles<T extends AnyKubernetesObject>(
  diagram: string,
  objects: MarbleObjects<T>,
  options: WatchMarblesOptions = {},
): Observable<WatchEventBatch<T>> {
  const { error = new Error('the source failed, as its diagram says'), scheduler = asyncScheduler } = options;
  const steps = compileWatchMarbles(diagram, objects);
  return defer(() => {
    const start = scheduler.now();
    const stream = merge(
      ...steps.map((step) =>
        timer(step.frame, scheduler).pipe(
          mergeMap(() =>
            step.end === 'error'
              ? concat(
                  batchOf(step),
                  throwError(() => error),
                )
              : batchOf(step),
          ),
        ),
      ),
    ).pipe(map((batch) => batch.map((event) => startedAt(event, start))));
    return steps.at(-1)?.end === undefined ? concat(stream, NEVER) : stream;
  });
}

/** The events that a source emits in one frame. */
interface WatchStep<T> {
  readonly frame: number;
  readonly batch: readonly WatchEvent<T>[];
  readonly end?: 'complete' | 'error';
}

function batchOf<T>({ batch }: WatchStep<T>): Observable<WatchEventBatch<T>> {
  return batch.length === 0 ? EMPTY : of(batch);
}

/** Frames count from the subscription, but the times in a status from 1970. */
function startedAt<T>(event: WatchEvent<T>, start: number): WatchEvent<T> {
  return event.type === 'STATUS' ? { ...event, status: shifted(event.status, start) } : event;
}

function shifted(status: SourceStatus, start: number): SourceStatus {
  switch (status.state) {
    case 'watching':
      return { ...status, since: status.since + start };
    case 'backing-off':
    case 'forbidden':
    case 'not-found':
      return { ...status, until: status.until + start };
    default:
      return status;
  }
}

/** Parses watch traffic, and assigns versions. Pure: all subscribers receive equal objects. */
function compileWatchMarbles<T extends AnyKubernetesObject>(
  diagram: string,
  objects: MarbleObjects<T>,
): readonly WatchStep<T>[] {
  const marbles = parseMarbles(diagram, parseWatchToken);
  const story = new Story(diagram, objects);
  return marbles.map(({ frame, tokens, end }, position) => ({
    frame,
    batch: tokens.flatMap((token) => story.eventsOf(token, frame, marbles[position + 1]?.frame ?? frame)),
    ...(end && { end }),
  }));
}

/** The state of a diagram up to a token: the versions of its objects, and the last failure. */
class Story<T extends AnyKubernetesObject> {
  readonly #current = new Map<string, T>();
  #version = 0;
  #failure: { readonly cause: SourceError; readonly attempt: number } | undefined;

  constructor(
    private readonly diagram: string,
    private readonly objects: MarbleObjects<T>,
  ) {}

  eventsOf(token: WatchToken, frame: number, nextFrame: number): readonly WatchEvent<T>[] {
    switch (token.type) {
      case 'LISTED': {
        this.#failure = undefined;
        const items = token.mentions.map((mention) => this.#listed(mention));
        return [{ type: 'LISTED', items, resourceVersion: String(this.#version) }];
      }
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return token.mentions.map((mention) => ({ type: token.type, object: this.#changed(mention) }));
      case 'BOOKMARK':
        return [{ type: 'BOOKMARK', resourceVersion: this.#nextVersion() }];
      case 'STATUS_ERROR':
        return [this.#failed(statusErrorOf(token.code))];
      case 'CONNECTION_ERROR':
        return [this.#failed(connectionReset())];
      case 'STATUS':
        return [{ type: 'STATUS', status: this.#status(token.state, frame, nextFrame) }];
    }
  }

  #listed(mention: Mention): T {
    const known = this.#current.get(identity(mention));
    return known === undefined || mention.hasChanged ? this.#changed(mention) : known;
  }

  #changed(mention: Mention): T {
    const { name, incarnation } = mention;
    checkMention(this.diagram, this.objects, mention);
    const object = marbleObject(this.objects, name, this.#nextVersion(), incarnation);
    this.#current.set(identity(mention), object);
    return object;
  }

  #nextVersion(): string {
    this.#version++;
    return String(this.#version);
  }

  #failed(error: SourceError): WatchEvent<T> {
    this.#failure = { cause: error, attempt: (this.#failure?.attempt ?? 0) + 1 };
    return { type: 'ERROR', error };
  }

  #status(state: SourceStatus['state'], frame: number, nextFrame: number): SourceStatus {
    const { cause = connectionReset(), attempt = 1 } = this.#failure ?? {};
    switch (state) {
      case 'listing':
        return { state, by: 'pages', received: 0 };
      case 'watching':
        return { state, since: frame, resourceVersion: String(this.#version) };
      case 'reconnecting':
        return this.#failure === undefined ? { state } : { state, cause };
      case 'stopped':
        return { state };
      case 'backing-off':
      case 'forbidden':
      case 'not-found':
        return { state, until: nextFrame, attempt, cause };
    }
  }
}

function identity({ name, incarnation }: Mention): string {
  return `${name}${"'".repeat(incarnation)}`;
}
