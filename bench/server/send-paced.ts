import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { piecesBetween, type Pieces } from './pieces.js';
import { UNSTAMPED } from './served-pods.js';

/** The shortest that a timer waits, in milliseconds: at 1,000 writes a second, each goes out by itself. */
const TICK = 1;

/** Sends `perSecond` pieces a second, each with the time at which it was sent written into the place that was kept free for it. */
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

/** Found before anything is written there. */
function placesOfStamps(pieces: Pieces): readonly number[] {
  const known = knownPlaces.get(pieces);
  if (known !== undefined) return known;
  const places = pieces.offsets.slice(0, -1).map((offset) => pieces.bytes.indexOf(`"${UNSTAMPED}"`, offset) + 1);
  knownPlaces.set(pieces, places);
  return places;
}
