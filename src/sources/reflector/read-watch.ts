import { concat, defer, from, identity, map, type Observable } from 'rxjs';
import type { ResponsePart } from '../client/kube-client.js';
import type { DedupMode } from '../dedup-mode.js';
import { DecodeError, type RequestLine } from '../source-error.js';
import { decodeEventWithout } from '../wire/decode-event-without.js';
import { decodeJson } from '../wire/decode-json.js';
import { createLineSplitter } from '../wire/split-lines.js';
import { WireError } from '../wire/wire-error.js';
import { beginningOf, decodeError, decodeEvents, decodeLatestEvents } from './decode-event.js';
import type { Reading } from './input.js';
import { jsonOnly } from './json-only.js';
import type { ObjectDecoder } from './object-decoder.js';
import { shareInitialEvents } from './share-initial-events.js';

/** How a watch is read. */
export interface WatchReadingOptions {
  /** `latest`: events that others of the same network read make void are left out. */
  readonly dedup: DedupMode;
  /** Whether the watch begins with everything that exists (R23). */
  readonly isStreamingList: boolean;
}

/** What the response to a WATCH says, one reading for each network read. Errors of the exchange are passed on. */
export function readWatch<T>(
  parts: Observable<ResponsePart>,
  request: RequestLine,
  decoder: ObjectDecoder<T>,
  { dedup, isStreamingList }: WatchReadingOptions,
): Observable<Reading<T>> {
  return defer(() => {
    const splitter = createLineSplitter();
    const parse = decoder.omit === undefined ? decodeJson : decodeEventWithout(decoder.omit);
    const decode = dedup === 'latest' ? decodeLatestEvents : decodeEvents;
    const share = isStreamingList ? shareInitialEvents(decoder) : identity;
    const events = (lines: readonly Uint8Array[]): Reading<T> => ({
      type: 'events',
      events: share(decode(lines, { request, parse, decoder })),
    });
    const read = (part: ResponsePart): Reading<T> => {
      if (part.type === 'head') return { type: 'head' };
      try {
        return events(splitter.push(part.bytes));
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        return { type: 'events', events: [{ type: 'lost', error: decodeError(request, error) }] };
      }
    };
    const end = (): readonly Reading<T>[] => {
      const rest = splitter.end();
      if (rest === undefined) return [{ type: 'closed' }];
      return isWhole(rest)
        ? [events([rest]), { type: 'closed' }]
        : [
            {
              type: 'closed',
              cut: new DecodeError(request, 'the last line is cut off', beginningOf(rest), rest.length),
            },
          ];
    };
    return concat(
      parts.pipe(jsonOnly(request), map(read)),
      defer(() => from(end())),
    );
  });
}

function isWhole(line: Uint8Array): boolean {
  try {
    decodeJson(line);
    return true;
  } catch {
    return false;
  }
}
