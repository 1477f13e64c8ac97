import { badRequest } from '../api-error.js';

/** Where the next page begins, in the real server's own encoding. */
export interface ContinueToken {
  /** The version of the first page; -1: whatever is current. */
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
