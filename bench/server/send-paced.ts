import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { piecesBetween, type Pieces } from './pieces.js';
import { UNSTAMPED } from './served-pods.js';

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
