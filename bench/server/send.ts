import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { piecesBetween, type Pieces, UNSTAMPED } from './served-pods.js';

const LARGEST_WRITE = 4 * 1024 * 1024;

/**
 * Sends bytes as fast as the client reads them. If the client disconnects, ends early without an
 * error.
 */
export async function send(socket: Socket, bytes: Buffer): Promise<void> {
  for (let start = 0; start < bytes.length && socket.writable; start += LARGEST_WRITE) {
    if (socket.write(bytes.subarray(start, start + LARGEST_WRITE))) continue;
    // If a client ends its process before all bytes are sent, this is no error: the socket is then
    // no longer writable.
    await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  }
}

/**
 * The shortest time that a timer waits, in milliseconds. At 1,000 writes a second, each write is
 * sent separately.
 */
const TICK = 1;

/**
 * Sends `perSecond` pieces a second. The time of sending is written into the place that is reserved
 * for it in each piece.
 */
export async function sendPaced(socket: Socket, pieces: Pieces, perSecond: number): Promise<void> {
  const count = pieces.offsets.length - 1;
  const places = placesOfStamps(pieces);
  const begin = performance.now();
  for (let sent = 0; sent < count && socket.writable;) {
    await sleep(TICK);
    const due = Math.min(count, ((performance.now() - begin) / 1000) * perSecond);
    for (; sent < due; sent += 1) {
      const stamp = String(process.hrtime.bigint()).padStart(UNSTAMPED.length, '0');
      pieces.bytes.write(stamp, places[sent] as number, 'latin1');
      socket.write(piecesBetween(pieces, sent, sent + 1));
    }
  }
}

const knownPlaces = new WeakMap<Pieces, readonly number[]>();

/**
 * Returns the places of the timestamps. They are found before the first timestamp is written, and
 * then remembered.
 */
function placesOfStamps(pieces: Pieces): readonly number[] {
  const known = knownPlaces.get(pieces);
  if (known !== undefined) return known;
  const places = pieces.offsets.slice(0, -1).map((offset) => pieces.bytes.indexOf(`"${UNSTAMPED}"`, offset) + 1);
  knownPlaces.set(pieces, places);
  return places;
}
