import type { CDPSession } from 'playwright-core';

/** The node types that scripts create. All other types belong to the engine and the browser. */
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
}

/**
 * Returns the bytes of objects, functions, lists and strings that the scripts of a page have
 * created and still reference, after a garbage collection. Compiled code does not count, because it
 * grows when functions are called often.
 */
export async function retainedBytes(session: CDPSession): Promise<number> {
  const { snapshot, nodes } = await heapSnapshot(session);
  const fields = snapshot.meta.node_fields;
  const [types] = snapshot.meta.node_types;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let retained = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (made.has(types[nodes[at + type]!]!)) retained += nodes[at + size]!;
  return retained;
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
