import { listWatch } from 'rx-informers';
import type { ListWatchOptions } from '../../../src/sources/list-watch.js';
import { connectionError } from '../../../src/sources/model/errors.js';
import { pods, type Pod } from '../../fixtures/pods.js';
import { podList } from '../../fixtures/wire.js';
import { respond, scriptedClient, somewhere, type Answer, type ScriptedClient } from './scripted-client.js';
import { timeline } from './timeline.js';

export const paged: ListWatchOptions<Pod> = { initialList: 'pages', random: () => 0 };
export const streamed: ListWatchOptions<Pod> = { random: () => 0 };
export const refused = connectionError(somewhere, Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
export const reset = connectionError(somewhere, Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
export const list = (version: string, names: readonly string[] = ['a']): Answer =>
  respond([[1, podList(version, names)]], { end: 2 });
export const open = respond([]);

export interface Run {
  readonly client: ScriptedClient;
  readonly seen: readonly string[];
  readonly data: readonly string[];
}

export function run(
  answers: Parameters<typeof scriptedClient>[0],
  until: number,
  options: ListWatchOptions<Pod> = paged,
  probe?: Parameters<typeof scriptedClient>[1],
): Run {
  const client = scriptedClient(answers, probe);
  const seen = timeline(() => listWatch(client, pods, options), until);
  const data = seen.map((text) => text.replace(/ ?<[^>]*>/g, '')).filter((text) => !/^\d+:$/.test(text));
  return { client, seen, data };
}
