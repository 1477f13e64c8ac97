import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { gatherChunks, type ChunkGatherer } from '../../../../src/sources/client/node/http-exchange.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('gatherChunks', () => {
  let delivered: Uint8Array[];
  let gatherer: ChunkGatherer;
  afterEach(() => {
    gatherer.clear();
  });

  const texts = (): string[] => delivered.map((piece) => new TextDecoder().decode(piece));

  beforeEach(() => {
    delivered = [];
    gatherer = gatherChunks((piece) => delivered.push(piece));
  });

  it('hands over as one what comes in one turn of the event loop', async () => {
    for (const text of ['a', 'bc', 'd']) gatherer.add(bytes(text));
    expect(texts()).toEqual([]);
    await turnOfTheLoop();
    gatherer.add(bytes('e'));
    await turnOfTheLoop();
    expect(texts()).toEqual(['abcd', 'e']);
  });

  it('hands over a chunk that comes alone as it is', async () => {
    const chunk = bytes('alone');
    gatherer.add(chunk);
    await turnOfTheLoop();
    expect(delivered).toEqual([chunk]);
    expect(delivered[0]).toBe(chunk);
  });

  it('G11: holds no more than 256 KiB back', () => {
    const chunk = new Uint8Array(30 * 1024);
    for (let count = 0; count < 20; count++) gatherer.add(chunk);
    expect(delivered.map(({ length }) => length / 1024)).toEqual([270, 270]);
  });

  it('hands over a large chunk at once, unless it follows what is held', async () => {
    const chunk = new Uint8Array(32 * 1024);
    gatherer.add(chunk);
    expect(delivered).toEqual([chunk]);
    expect(delivered[0]).toBe(chunk);
    gatherer.add(bytes('small'));
    gatherer.add(chunk);
    await turnOfTheLoop();
    expect(delivered.map(({ length }) => length)).toEqual([32 * 1024, 32 * 1024 + 5]);
  });

  it('hands over at once what it holds when asked to, and not again', async () => {
    gatherer.flush();
    gatherer.add(bytes('a'));
    gatherer.flush();
    expect(texts()).toEqual(['a']);
    await turnOfTheLoop();
    expect(texts()).toEqual(['a']);
  });

  it('G8: forgets what it holds, and can be used again', async () => {
    gatherer.add(bytes('a'));
    gatherer.clear();
    await turnOfTheLoop();
    expect(texts()).toEqual([]);
    gatherer.add(bytes('b'));
    await turnOfTheLoop();
    expect(texts()).toEqual(['b']);
  });

  it('keeps apart what comes while it hands over', () => {
    const order: string[] = [];
    const nested = gatherChunks((piece) => {
      order.push(new TextDecoder().decode(piece));
      if (order.length === 1) nested.add(bytes('later'));
    });
    nested.add(bytes('first'));
    nested.flush();
    expect(order).toEqual(['first']);
    nested.flush();
    expect(order).toEqual(['first', 'later']);
  });

  it('lends what it joins, and lends something else to a nested delivery', () => {
    const read: string[] = [];
    const readNow = (piece: Uint8Array): number => read.push(new TextDecoder().decode(piece));
    const inner = gatherChunks(readNow);
    const outer = gatherChunks((piece) => {
      for (const text of ['inner', ' bytes']) inner.add(bytes(text));
      inner.flush();
      readNow(piece);
    });
    for (const text of ['outer', ' bytes']) outer.add(bytes(text));
    outer.flush();
    expect(read).toEqual(['inner bytes', 'outer bytes']);
  });
});
