import type { Node } from 'rx-informers';

/** Why a node takes no pods, in a word; `undefined` where it does, or says nothing. */
export function nodeTrouble({ spec, status }: Node): 'not ready' | 'cordoned' | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready !== undefined && ready.status !== 'True') return 'not ready';
  return spec?.unschedulable === true ? 'cordoned' : undefined;
}
