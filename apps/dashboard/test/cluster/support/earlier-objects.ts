import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Rig } from '../../../../../test/cluster/support/rig.js';

/**
 * Moves all times in all objects into the past, in etcd, as if the clock of the API server had been
 * moved forward: what the server computes from them now is what it would have computed from the
 * times before, that many milliseconds later. The server must store built-in kinds as JSON.
 */
export async function moveTimesBack(rig: Rig, milliseconds: number): Promise<void> {
  const file = join(dirname(rig.kubeConfigFile), 'rig.json');
  const { etcd } = JSON.parse(readFileSync(file, 'utf8')) as { readonly etcd: string };
  const post = async (path: string, body: object): Promise<Range> => {
    const response = await fetch(etcd + path, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd: ${await response.text()}`);
    return (await response.json()) as Range;
  };
  const { kvs = [] } = await post('/v3/kv/range', { key: base64('/registry/'), range_end: base64('/registry0') });
  for (const { key, value } of kvs) {
    const text = Buffer.from(value, 'base64').toString();
    if (!text.startsWith('{')) continue;
    const moved = text.replace(timestamps, (found) => earlier(found, milliseconds));
    if (moved !== text) await post('/v3/kv/put', { key, value: base64(moved) });
  }
}

interface Range {
  readonly kvs?: readonly { readonly key: string; readonly value: string }[];
}

const timestamps = /(?<=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z(?=")/g;

/** Keeps the number of digits, because the API server writes times of two precisions. */
function earlier(timestamp: string, milliseconds: number): string {
  const seconds = new Date(Date.parse(timestamp.slice(0, 19) + 'Z') - milliseconds).toISOString().slice(0, 19);
  return seconds + timestamp.slice(19);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
