import { isDevelopment } from '../../store/freeze.js';

/** Where a call was made; `site` is dropped when the call is sent. */
interface MadeCall {
  site: Error | undefined;
}

/**
 * Remembers where a call is made, to be given to `warnIfUnsent`; returns `undefined` in production.
 *
 * The stack trace is formatted only if it is printed.
 */
export function madeCall(): MadeCall | undefined {
  return isDevelopment() && typeof FinalizationRegistry !== 'undefined' ? { site: new Error() } : undefined;
}

/**
 * Warns once for each place in a program if a call that was made there is garbage-collected before it was sent.
 *
 * @param call must not be reachable from `made`, or it is never collected
 */
export function warnIfUnsent(call: object, made: MadeCall): void {
  registry ??= new FinalizationRegistry(warn);
  registry.register(call, made);
}

let registry: FinalizationRegistry<MadeCall> | undefined;

const reported = /*#__PURE__*/ new Set<string>();

/** So many places are reported at most. */
const mostReported = 100;

function warn({ site }: MadeCall): void {
  if (site === undefined) return;
  const place = placeOf(site.stack ?? '');
  if (reported.has(place) || reported.size >= mostReported) return;
  reported.add(place);
  console.warn(
    `A request to the API server was never sent, because its ApiCall was neither awaited nor subscribed to; await it. The call was made ${place}. This is reported once for each place, in development only.`,
  );
}

/** Returns the line of a stack that leads out of this library; if that is bundled with its callers, all lines. */
function placeOf(stack: string): string {
  const [own = '', ...callers] = stack.split('\n').filter((line) => isFrame.test(line));
  const folder = folderOfFrame.exec(own)?.[1] ?? own;
  const place = callers.find((line) => !line.includes(folder) && !line.includes('node:'));
  return place?.trim() ?? `\n${callers.join('\n')}\n`;
}

const isFrame = /:\d+:\d+\)?$/;
/** The library's folder: as it is published, or its sources. */
const folderOfFrame = /([^(@\s]*[\\/])(?:controller[\\/]api[\\/])?[^\\/]*$/;
