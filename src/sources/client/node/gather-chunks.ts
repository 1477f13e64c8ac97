import { clearImmediate, setImmediate } from 'node:timers';

/** So much is handed over at the latest, in bytes: some fifty events of a watch, a few milliseconds of work. */
const mostAtOnce = 256 * 1024;

/** A chunk of this size is a read by itself, in bytes: there is nothing to gain by copying it. */
const largeEnough = 32 * 1024;

/** Takes chunks, and hands over what came together as one. */
export interface ChunkGatherer {
  add(chunk: Uint8Array): void;
  /** Hands over what is held back, now. */
  flush(): void;
  /** Forgets what is held back. */
  clear(): void;
}

/**
 * Holds chunks back until the event loop has read what is there, at most `mostAtOnce`.
 *
 * Node hands over each chunk of a chunked answer by itself, and the API server makes a chunk of each watch event, so that a thousand events
 * that arrive together would be a thousand batches, each committed and announced by itself. A chunk that comes alone is handed over in the
 * same turn of the loop, and a large one that follows nothing at once.
 */
export function gatherChunks(deliver: (bytes: Uint8Array) => void): ChunkGatherer {
  let chunks: Uint8Array[] = [];
  let length = 0;
  let turn: NodeJS.Immediate | undefined;

  function clear(): void {
    if (turn !== undefined) clearImmediate(turn);
    turn = undefined;
    chunks = [];
    length = 0;
  }

  function flush(): void {
    const held = chunks;
    const heldLength = length;
    clear();
    if (held.length > 0) lendJoined(held, heldLength, deliver);
  }

  return {
    add(chunk) {
      if (chunk.length >= largeEnough && chunks.length === 0) {
        deliver(chunk);
        return;
      }
      chunks.push(chunk);
      length += chunk.length;
      if (length >= mostAtOnce) flush();
      else turn ??= setImmediate(flush);
    },
    flush,
    clear,
  };
}

/** Room for one delivery, of whichever exchange: what is handed over is valid until the callback returns, and nothing is delivered meanwhile. */
let room: Uint8Array | undefined = new Uint8Array(mostAtOnce + largeEnough);

function lendJoined(chunks: readonly Uint8Array[], length: number, deliver: (bytes: Uint8Array) => void): void {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) {
    deliver(only);
    return;
  }
  const lent = room !== undefined && room.length >= length ? room : new Uint8Array(length);
  // Not there for whoever delivers within this delivery.
  if (lent === room) room = undefined;
  let at = 0;
  for (const chunk of chunks) {
    lent.set(chunk, at);
    at += chunk.length;
  }
  try {
    deliver(lent.subarray(0, length));
  } finally {
    room = lent;
  }
}
