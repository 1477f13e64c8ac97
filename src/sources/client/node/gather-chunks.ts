import { clearImmediate, setImmediate } from 'node:timers';

/** So much is handed over at the latest, in bytes: some fifty events of a watch, a few milliseconds of work. */
const mostAtOnce = 256 * 1024;

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
 * that arrive together would be a thousand batches, each committed and announced by itself. A chunk that comes alone is not delayed: it is
 * handed over in the same turn of the loop.
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
    if (held.length > 0) deliver(joined(held, heldLength));
  }

  return {
    add(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= mostAtOnce) flush();
      else turn ??= setImmediate(flush);
    },
    flush,
    clear,
  };
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
