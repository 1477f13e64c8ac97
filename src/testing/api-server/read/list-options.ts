import { fieldProblem, badRequest, type FieldProblem, invalid } from '../exchange/api-error.js';
import { parseBoolean } from '../exchange/exchange.js';

/** The parsed and validated query of a LIST or a WATCH. */
export interface ListParameters {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** The largest number of objects in the response; 0 means no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly watch: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

export function parseListOptions(
  query: URLSearchParams,
  settings: { readonly watchList: boolean; readonly watch?: boolean },
): ListParameters {
  const options: ListParameters = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: Math.max(0, parseInteger(query.get('limit')) ?? 0),
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    watch: settings.watch === true || parseBoolean(query.get('watch')) === true,
    timeoutSeconds: parseInteger(query.get('timeoutSeconds')),
    allowWatchBookmarks: parseBoolean(query.get('allowWatchBookmarks')) === true,
    sendInitialEvents: parseBoolean(query.get('sendInitialEvents')),
  };
  const problems = options.watch ? watchProblems(options, settings.watchList) : listProblems(options);
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, problems);
  return options;
}

/**
 * Returns true for a watch that begins with all existing objects. As in the real server, this is
 * the default for a watch that allows bookmarks and has no version or version 0.
 */
export function isStreamingList(options: ListParameters): boolean {
  const { sendInitialEvents, allowWatchBookmarks, resourceVersion } = options;
  return sendInitialEvents ?? (allowWatchBookmarks && (resourceVersion === '' || resourceVersion === '0'));
}

/** Parses a version; `''` and `'0'` are 0. Throws the real server's message through `fail`. */
export function parseResourceVersion(text: string, fail: (problem: string) => Error): number {
  if (text === '') return 0;
  if (!/^\d+$/.test(text)) {
    throw fail(`resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`);
  }
  return Number(text);
}

function parseInteger(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Number(text);
}

const matchField = 'resourceVersionMatch';

function listProblems(options: ListParameters): readonly FieldProblem[] {
  const { resourceVersionMatch: match, resourceVersion, sendInitialEvents } = options;
  const problems: FieldProblem[] = [];
  if (match !== '') {
    if (resourceVersion === '')
      problems.push(forbidden(matchField, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (options.continue !== '')
      problems.push(forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') problems.push(unsupported(match, '"Exact", "NotOlderThan", ""'));
    if (match === 'Exact' && resourceVersion === '0') {
      problems.push(forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined)
    problems.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return problems;
}

function watchProblems(options: ListParameters, watchList: boolean): readonly FieldProblem[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const problems: FieldProblem[] = [];
  if (sendInitialEvents !== undefined) {
    if (match !== 'NotOlderThan') {
      problems.push(forbidden(matchField, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    }
    if (!watchList) {
      problems.push(
        forbidden(
          'sendInitialEvents',
          'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        ),
      );
    }
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      problems.push(
        forbidden(matchField, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    }
    if (match !== 'NotOlderThan') problems.push(unsupported(match, '"NotOlderThan"'));
  }
  if (options.continue !== '')
    problems.push(forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided'));
  return problems;
}

function forbidden(field: string, problem: string): FieldProblem {
  return fieldProblem('Forbidden', field, problem);
}

function unsupported(value: string, supported: string): FieldProblem {
  return fieldProblem('NotSupported', matchField, `"${value}": supported values: ${supported}`);
}

/** The start of the next page, in the encoding of the real server. */
export interface ContinueToken {
  /** The version of the first page; -1 means the current version. */
  readonly resourceVersion: number;
  /** The first key of the next page, relative to the listed namespace. */
  readonly start: string;
}

const encodingVersion = 'meta.k8s.io/v1';

export function encodeContinueToken({ resourceVersion, start }: ContinueToken): string {
  const bytes = new TextEncoder().encode(
    JSON.stringify({ v: encodingVersion, rv: resourceVersion, start: `/${start}` }),
  );
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

export function decodeContinueToken(text: string): ContinueToken {
  const token = parse(text);
  if (token.v !== encodingVersion)
    throw invalidToken(`server does not recognize this encoded version ${typeof token.v === 'string' ? token.v : ''}`);
  if (typeof token.rv !== 'number' || token.rv === 0 || token.rv < -1) {
    throw invalidToken(`incorrect encoded start resourceVersion (version ${encodingVersion})`);
  }
  if (typeof token.start !== 'string' || token.start === '')
    throw invalidToken(`encoded start key empty (version ${encodingVersion})`);
  return { resourceVersion: token.rv, start: token.start.replace(/^\//, '') };
}

function parse(text: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const json = new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    throw invalidToken(error instanceof Error ? error.message : String(error));
  }
}

function invalidToken(problem: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${problem}`);
}
