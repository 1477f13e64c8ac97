import type { CDPSession } from 'playwright-core';

/** What is in a heap, of what the scripts of a page have made and still hold. */
export interface HeapContent {
  /** Bytes of objects, functions, lists and strings: without compiled code, which grows as functions turn out to be busy. */
  readonly held: number;
  /** Timers that are set. */
  readonly timers: number;
}

/** What scripts make; all else is of the engine and of the browser. */
const made: ReadonlySet<string> = new Set([
  'object',
  'closure',
  'array',
  'string',
  'concatenated string',
  'sliced string',
  'number',
  'bigint',
  'symbol',
  'regexp',
]);

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[]] };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** Reads the whole heap, object by object, after everything that can be collected has been. */
export async function heapContent(session: CDPSession): Promise<HeapContent> {
  const { snapshot, nodes, strings } = await heapSnapshot(session);
  const fields = snapshot.meta.node_fields;
  const [types] = snapshot.meta.node_types;
  const [type, name, size] = [fields.indexOf('type'), fields.indexOf('name'), fields.indexOf('self_size')];
  let held = 0;
  let timers = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (made.has(types[nodes[at + type]!]!)) held += nodes[at + size]!;
    if (strings[nodes[at + name]!] === 'DOMTimer') timers += 1;
  }
  return { held, timers };
}

async function heapSnapshot(session: CDPSession): Promise<HeapSnapshot> {
  const pieces: string[] = [];
  const take = ({ chunk }: { readonly chunk: string }): void => {
    pieces.push(chunk);
  };
  session.on('HeapProfiler.addHeapSnapshotChunk', take);
  await session.send('HeapProfiler.takeHeapSnapshot');
  session.off('HeapProfiler.addHeapSnapshotChunk', take);
  return JSON.parse(pieces.join('')) as HeapSnapshot;
}
