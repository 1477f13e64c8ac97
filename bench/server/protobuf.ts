import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { type Pieces, listBetween, type ServedPods } from './served-pods.js';

const END_OF_CHUNK = Buffer.from('\r\n');

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/**
 * The list, the initial events and the events as a client receives them if it requests protobuf.
 */
export interface ProtobufPods {
  readonly list: Buffer;
  readonly initialEvents: Buffer;
  readonly events: Buffer;
}

/** Translates everything that the server sends with the program of `bench/client-go`. */
export async function toProtobuf(program: string, served: ServedPods): Promise<ProtobufPods> {
  const count = served.items.offsets.length - 1;
  return {
    list: await translate(program, 'list', listBetween(served, 0, count)),
    initialEvents: inChunks(await translate(program, 'events', linesIn(served.initialEvents))),
    events: inChunks(await translate(program, 'events', linesIn(served.events))),
  };
}

async function translate(program: string, kind: 'list' | 'events', input: Iterable<Buffer>): Promise<Buffer> {
  const { stdin, stdout } = spawn(program, ['-encode', kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  const output = buffer(stdout);
  for (const text of input) if (!stdin.write(text)) await once(stdin, 'drain');
  stdin.end();
  const translated = await output;
  if (translated.length === 0) throw new Error(`${program} -encode ${kind} wrote nothing`);
  return translated;
}

/** Returns the lines in HTTP chunks. Each chunk contains one line. */
function* linesIn({ bytes, offsets }: Pieces): Iterable<Buffer> {
  for (const [position, start] of offsets.slice(0, -1).entries()) {
    yield bytes.subarray(bytes.indexOf('\n', start) + 1, (offsets[position + 1] as number) - END_OF_CHUNK.length);
  }
}

/** Returns each frame in an HTTP chunk of its own. A frame begins with its length in four bytes. */
function inChunks(frames: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let start = 0; start < frames.length;) {
    const end = start + 4 + frames.readUInt32BE(start);
    chunks.push(Buffer.from(`${(end - start).toString(16)}\r\n`), frames.subarray(start, end), END_OF_CHUNK);
    start = end;
  }
  return Buffer.concat(chunks);
}
