import { clearImmediate, setImmediate } from 'node:timers';

/** Held bytes are delivered at this number: about fifty events, a few milliseconds of work. */
const maxGathered = 256 * 1024;

/** Bytes from which a chunk is delivered alone: joining it would only cost a copy. */
const largeEnough = 32 * 1024;

/** Delivers chunks at once, and joins those that arrive faster than they are processed. */
export interface ChunkGatherer {
  readonly add: (chunk: Uint8Array) => void;
  /** Delivers the held chunks now. */
  flush(): void;
  /** Drops the held chunks. */
  clear(): void;
}

/**
 * Delivers the first chunk of a turn of the event loop at once, and holds further chunks of the
 * turn until all available data is read. At most `maxGathered` bytes are held.
 *
 * The API server sends each event as a chunk, and Node emits each chunk separately, so a thousand
 * events at once would be a thousand batches. A turn that held chunks was too slow, so the next
 * turn holds even its first chunk. This ends with a turn of at most one chunk.
 */
export function gatherChunks(deliver: (bytes: Uint8Array) => void): ChunkGatherer {
  let chunks: Uint8Array[] = [];
  let length = 0;
  /**
   * A callback at the end of the turn. While it is set, chunks are held. The first delivery of a
   * turn sets it. If a turn ends with held chunks, the callback stays set for the next turn.
   */
  let turn: NodeJS.Immediate | undefined;

  function clear(): void {
    if (turn !== undefined) clearImmediate(turn);
    turn = undefined;
    chunks = [];
    length = 0;
  }

  function flush(): void {
    if (chunks.length === 0) return;
    const gathered = chunks;
    const gatheredLength = length;
    chunks = [];
    length = 0;
    deliverJoined(gathered, gatheredLength, deliver);
  }

  function endTurn(): void {
    turn = undefined;
    if (chunks.length === 0) return;
    turn = setImmediate(endTurn);
    flush();
  }

  return {
    add(chunk) {
      if (turn === undefined) {
        turn = setImmediate(endTurn);
        deliver(chunk);
        return;
      }
      if (chunk.length >= largeEnough && chunks.length === 0) {
        deliver(chunk);
        return;
      }
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxGathered) flush();
    },
    flush,
    clear,
  };
}

function deliverJoined(chunks: readonly Uint8Array[], length: number, deliver: (bytes: Uint8Array) => void): void {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) {
    deliver(only);
    return;
  }
  const joined = room !== undefined && room.length >= length ? room : new Uint8Array(length);
  // A nested delivery must not reuse the buffer.
  if (joined === room) room = undefined;
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  try {
    deliver(joined.subarray(0, length));
  } finally {
    room = joined;
  }
}

/** All exchanges share this buffer, because bytes are valid only until the callback returns. */
let room: Uint8Array | undefined = new Uint8Array(maxGathered + largeEnough);
