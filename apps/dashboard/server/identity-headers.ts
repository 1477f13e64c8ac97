import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** How an authenticating proxy tells who has sent a request. */
export interface IdentityOptions {
  /** The name of the header with the user, in lower case. */
  readonly userHeader: string;
  /** The name of the header with the groups, separated by commas; default: no groups. */
  readonly groupsHeader?: string | undefined;
  /** The groups that count. All others in the header are ignored. */
  readonly groups: readonly string[];
  /** The secret that the proxy sends in the header {@link secretHeader}. */
  readonly secret: string;
}

/** The sender of a request, as the proxy has identified it. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** What the headers of a request say about its sender. */
export type Identification =
  | { readonly type: 'identified'; readonly identity: Identity }
  /** The request is not from the proxy, or the proxy has not identified its sender. */
  | { readonly type: 'unknown' }
  /** The request is from the proxy, but the identity is not acceptable. */
  | { readonly type: 'refused'; readonly message: string };

/** The header that proves that the other headers are from the proxy. */
export const secretHeader = 'x-rx-informers-proxy-secret';

/** The minimum length of the secret, in characters. */
export const minimumSecretLength = 32;

/** Limits of the header with the groups. */
const maxGroups = 200;
const maxGroupsLength = 8_192;

/**
 * Returns the sender of a request. Pure.
 *
 * | headers | result |
 * | --- | --- |
 * | without the secret, with a wrong one, or with two | unknown, regardless of the other headers |
 * | the secret, without a user | unknown |
 * | two headers with users, or two with groups | refused: one may be from the browser |
 * | a user with other characters than those of `isUserName`, such as commas and spaces | refused |
 * | a user or a group whose name begins with `system:`, however it is written | refused |
 * | too many groups | refused |
 * | otherwise | the user, with those of `options.groups` that the header contains |
 */
export function identify(
  { headersDistinct: headers }: Pick<IncomingMessage, 'headersDistinct'>,
  { userHeader, groupsHeader, groups, secret }: IdentityOptions,
): Identification {
  if (!isSecret(headers[secretHeader] ?? [], secret)) return { type: 'unknown' };
  const [user = '', ...otherUsers] = headers[userHeader] ?? [];
  const [list = '', ...otherLists] = (groupsHeader === undefined ? undefined : headers[groupsHeader]) ?? [];
  if (otherUsers.length > 0) return refused(`the request has two headers ${userHeader}`);
  if (otherLists.length > 0) return refused(`the request has two headers ${groupsHeader ?? ''}`);
  if (user === '') return { type: 'unknown' };
  const named = list.split(',', maxGroups + 1).map((group) => group.trim());
  if (list.length > maxGroupsLength || named.length > maxGroups) {
    return refused(`you have more than ${maxGroups} groups, or ${maxGroupsLength} bytes of groups`);
  }
  if ([user, ...named].some(isOfSystem)) return refused('users and groups of system: are not accepted');
  if (!isUserName(user)) return refused('the name of the user has characters that are not accepted');
  return { type: 'identified', identity: { user, groups: groups.filter((group) => named.includes(group)) } };
}

/** Returns the names of the headers that `identify` reads. */
export function identifyingHeaders({ userHeader, groupsHeader }: IdentityOptions): readonly string[] {
  return [secretHeader, userHeader, ...(groupsHeader === undefined ? [] : [groupsHeader])];
}

function refused(message: string): Identification {
  return { type: 'refused', message };
}

/** Compares in constant time. */
function isSecret([sent, ...others]: readonly string[], secret: string): boolean {
  return sent !== undefined && others.length === 0 && timingSafeEqual(digestOf(sent), digestOf(secret));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Returns true for a name of a user that may be impersonated. A proxy joins repeated headers with
 * commas, so a name must not contain one. Spaces and other invisible characters are not accepted:
 * the API server removes some of them.
 */
export function isUserName(text: string): boolean {
  return /^[\w.@+:/|=#~-]{1,256}$/.test(text) && !isOfSystem(text);
}

/** Returns true for a name of a group that viewers may have. */
export function isGroupName(text: string): boolean {
  return /^[!-+\--~]+( [!-+\--~]+)*$/.test(text) && text.length <= 256 && !isOfSystem(text);
}

/**
 * Returns true for a name of Kubernetes itself, such as `system:masters`, even if it is written
 * with capital letters, spaces, invisible characters, or characters that look the same.
 */
function isOfSystem(name: string): boolean {
  const text = Buffer.from(name, 'latin1').toString('utf8');
  return /^system:/i.test(text.normalize('NFKC').replace(/[\s\p{C}]/gu, ''));
}
