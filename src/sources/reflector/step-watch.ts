import { compareResourceVersions } from '../../kubernetes/object.js';
import { EarlyCloseError, SilentConnectionError, type SourceError } from '../model/errors.js';
import type { WatchEvent } from '../model/watch-event.js';
import { asExpected, isNoAnswer, isOverloaded, isTooManyRequests } from './failure.js';
import {
  shortLife,
  stay,
  type DecodedEvent,
  type Input,
  type ReflectorConfig,
  type Step,
  type Watching,
} from './protocol.js';
import {
  afterWatchFailure,
  backOff,
  errorEvent,
  failedTransforms,
  openAnyList,
  openWatch,
  statusEvent,
} from './transitions.js';

/** So many watches in a row that ended early without a single event: the version may be gone without a 410 (R14 ▲). */
const fruitlessWatches = 5;

/** While a watch is open, or being opened. */
export function stepWatch<T>(config: ReflectorConfig, state: Watching, input: Input<T>): Step<T> {
  switch (input.type) {
    case 'head':
      return state.headAt === undefined ? connected(state, input) : stay(state);
    case 'events':
      return read(config, { ...state, lastAt: input.at }, input, input.events);
    case 'closed':
      return ended(config, state, input, input.cut);
    case 'failed':
      return fail(config, state, input, input.error);
    case 'alarm':
      return overdue(config, state, input);
    case 'started':
    case 'items':
    case 'page-end':
      return stay(state);
  }
}

function connected<T>(state: Watching, { at }: Input<T>): Step<T> {
  const { memory } = state;
  const status = statusEvent({ state: 'watching', since: at, resourceVersion: memory.resourceVersion });
  return {
    state: { ...state, memory: { ...memory, healthySince: memory.healthySince ?? at }, headAt: at, lastAt: at },
    effects: [{ type: 'emit', batch: [status] }],
  };
}

/** R9: one network read, one batch; the version moves with each event, and never past one that was not delivered (R12 ▲). */
function read<T>(
  config: ReflectorConfig,
  state: Watching,
  input: Input<T>,
  events: readonly DecodedEvent<T>[],
): Step<T> {
  const batch: WatchEvent<T>[] = [];
  let { resourceVersion, newestVersion } = state.memory;
  let { isOrdered } = state;
  const advanced = (): Watching => ({
    ...state,
    memory: { ...state.memory, resourceVersion, newestVersion },
    hasProgressed: state.hasProgressed || newestVersion !== state.memory.newestVersion,
    isOrdered,
  });
  for (const [position, event] of events.entries()) {
    switch (event.type) {
      case 'change':
      case 'elsewhere':
        // R11: after opening at no version the server first says what exists, in no order.
        isOrdered ||= event.change !== 'ADDED';
        if (isOrdered) resourceVersion = event.resourceVersion;
        newestVersion = newerOf(newestVersion, event.resourceVersion);
        if (event.type === 'change') batch.push({ type: event.change, object: event.object });
        break;
      case 'bookmark':
        isOrdered = true;
        resourceVersion = event.resourceVersion;
        newestVersion = newerOf(newestVersion, resourceVersion);
        batch.push({ type: 'BOOKMARK', resourceVersion });
        break;
      case 'error': {
        // R15: 429 asks for patience; 410 and everything else for a list.
        const next = isTooManyRequests(event.error) ? 'watch' : 'list';
        const memory = afterWatchFailure(advanced().memory, event.error);
        return backOff(config, memory, input, { cause: event.error, next, events: batch });
      }
      case 'untransformed':
      case 'lost':
        // The read was decoded as a whole, and no later read reports what failed behind this event.
        batch.push(...failedTransforms(events.slice(position + 1)));
        return backOff(config, advanced().memory, input, { cause: event.error, next: 'list', events: batch });
      default:
        event satisfies never;
    }
  }
  return { state: advanced(), effects: batch.length > 0 ? [{ type: 'emit', batch }] : [] };
}

/**
 * The watch is over, by the server's will or because the connection broke.
 *
 * | it brought | it lived | what follows |
 * | --- | --- | --- |
 * | a newer version | however long | resumed at once (R13), see `pace` |
 * | nothing newer | less than a second | backoff, then a list (R14), or a watch where the connection broke |
 * | nothing newer, some times in a row | less than half of what was asked for | backoff, then a list (R14 ▲) |
 * | nothing newer | otherwise | resumed at once (R13) |
 */
function ended<T>(config: ReflectorConfig, state: Watching, input: Input<T>, cut: SourceError | undefined): Step<T> {
  const { memory, query } = state;
  const lived = input.at - state.openedAt;
  const isEarly = lived < (query.timeoutSeconds * 1_000) / 2;
  const times = state.hasProgressed || !isEarly ? 0 : memory.fruitless + 1;
  if (times >= fruitlessWatches) {
    const cause = cut ?? new EarlyCloseError(config.requestLine(query), times);
    return backOff(config, { ...memory, fruitless: 0 }, input, { cause, next: 'list' });
  }
  const counted = { ...memory, fruitless: times };
  if (!state.hasProgressed && lived < shortLife) {
    const cause = cut ?? new EarlyCloseError(config.requestLine(query));
    return backOff(config, counted, input, { cause, next: cut === undefined ? 'list' : 'watch' });
  }
  return resume(config, { ...state, memory: counted }, input, cut && asExpected(cut));
}

/** Versions that cannot be compared are newer if they differ. */
function newerOf(known: string, version: string): string {
  return (compareResourceVersions(version, known) ?? 1) > 0 ? version : known;
}

/** R13: again at once, from the last version. */
function resume<T>(config: ReflectorConfig, state: Watching, input: Input<T>, cause: SourceError | undefined): Step<T> {
  const reconnecting = statusEvent({ state: 'reconnecting', ...(cause !== undefined && { cause }) });
  const events = cause === undefined ? [reconnecting] : [errorEvent(cause), reconnecting];
  return openWatch(config, state.memory, input, events);
}

/** R8 ▲: where nobody answered, or the server is too busy, the version is as good as before; otherwise a list must tell. */
function fail<T>(config: ReflectorConfig, state: Watching, input: Input<T>, error: SourceError): Step<T> {
  if (state.headAt !== undefined && isNoAnswer(error)) return ended(config, state, input, error);
  const next = isNoAnswer(error) || isOverloaded(error) ? 'watch' : 'list';
  return backOff(config, afterWatchFailure(state.memory, error), input, { cause: error, next });
}

function overdue<T>(config: ReflectorConfig, state: Watching, input: Input<T>): Step<T> {
  const { relistAt } = state.memory;
  if (relistAt !== undefined && input.at >= relistAt) return openAnyList(config, state.memory, input);
  const silence = input.at - state.lastAt;
  const request = config.requestLine(state.query);
  if (state.headAt === undefined) {
    // A proxy that holds responses back lets no watch through, but lists: better a list now and then than nothing.
    const cause = new SilentConnectionError(request, 'headers', silence);
    return backOff(config, state.memory, input, { cause, next: 'list' });
  }
  // A server that still talks has ignored timeoutSeconds; the connection is changed all the same, but nothing was wrong.
  return resume(
    config,
    state,
    input,
    silence >= config.grace ? new SilentConnectionError(request, 'data', silence) : undefined,
  );
}
