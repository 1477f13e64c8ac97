import { isDevelopment } from '../../store/freeze.js';

/** Where a call was made; `site` is dropped when the call is sent. */
interface MadeCall {
  site: Error | undefined;
}

/**
 * Remembers where a call is made, to be given to `warnIfUnsent`; returns `undefined` in production.
 *
 * The stack trace is formatted only if a warning may be printed.
 */
export function madeCall(): MadeCall | undefined {
  return isDevelopment() && typeof FinalizationRegistry !== 'undefined' ? { site: new Error() } : undefined;
}

/**
 * Warns once for each place in a program if a call that was made there is garbage-collected before it was sent.
 *
 * A place that is known to send its calls at other times is not reported: a call behind another one that failed, for
 * example in `concat`, is never sent, and nothing was forgotten.
 *
 * @param call must not be reachable from `made`, or it is never collected
 */
export function warnIfUnsent(call: object, made: MadeCall): void {
  registry ??= new FinalizationRegistry(warn);
  registry.register(call, made);
}

/** Notes that a call is sent: there is nothing to report about the place where it was made. */
export function callIsSent(made: MadeCall): void {
  if (made.site === undefined) return;
  sentSites[sent++ % mostSentSites] = made.site;
  made.site = undefined;
}

let registry: FinalizationRegistry<MadeCall> | undefined;

/** Where the last sent calls were made, as a ring; their stacks are not formatted. */
const sentSites: Error[] = [];
const mostSentSites = 128;
let sent = 0;

/** Places that are not reported, or not again. */
const settledPlaces = /*#__PURE__*/ new Set<string>();
/** So many places are remembered; after that nothing is reported. */
const mostPlaces = 1000;

function warn({ site }: MadeCall): void {
  if (site === undefined || settledPlaces.size >= mostPlaces) return;
  const place = placeOf(site);
  if (settledPlaces.has(place)) return;
  for (const sentSite of sentSites.splice(0)) settledPlaces.add(placeOf(sentSite));
  sent = 0;
  if (settledPlaces.has(place)) return;
  settledPlaces.add(place);
  print(
    `A request to the API server was never sent, because its ApiCall was neither awaited nor subscribed to; await it, or make it inside defer() if it is not always needed. The call was made ${place}. This is reported once for each place, in development only.`,
  );
}

/**
 * Prints a warning of the process, or in a browser of the console.
 *
 * Garbage is often collected late. The console of jest makes the whole run fail if something is printed after the tests.
 */
function print(text: string): void {
  const host = globalThis as { readonly process?: { emitWarning?(text: string, name: string): void } };
  if (typeof host.process?.emitWarning === 'function') host.process.emitWarning(text, 'UnsentApiCallWarning');
  else console.warn(text);
}

/** Returns the line of a stack that leads out of this library; if that is bundled with its callers, all lines. */
function placeOf({ stack = '' }: Error): string {
  const [own = '', ...callers] = stack.split('\n').filter((line) => isFrame.test(line));
  const folder = folderOfFrame.exec(own)?.[1] ?? own;
  const place = callers.find((line) => !line.includes(folder) && !line.includes('node:'));
  return place?.trim() ?? `\n${callers.join('\n')}\n`;
}

const isFrame = /:\d+:\d+\)?$/;
/** The library's folder: as it is published, or its sources. */
const folderOfFrame = /([^(@\s]*[\\/])(?:controller[\\/]api[\\/])?[^\\/]*$/;
