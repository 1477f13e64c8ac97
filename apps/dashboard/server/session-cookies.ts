import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** The sign-in of one viewer. It exists only in the cookies of the browser, encrypted. */
export interface Session {
  /** A random name, by which the server finds the open streams of the session. */
  readonly id: string;
  /** The viewer's bearer token for the API server. */
  readonly token: string;
  /** The name of the user according to the API server; `null` if it is not known. */
  readonly user: string | null;
  /** When the session ends, in milliseconds since the epoch. */
  readonly until: number;
}

export interface SessionCookiesOptions {
  /** The secret that protects the cookies: at least 32 bytes, the same for all replicas. */
  readonly sessionKey: Buffer;
  /** The origin at which browsers reach the dashboard. It is part of the key of the cookies. */
  readonly publicUrl: string;
}

export interface SessionCookies {
  /**
   * Returns the values of `Set-Cookie` that store a session, and remove the parts of a longer one.
   * Returns `undefined` if the session does not fit into the cookies.
   */
  seal(session: Session): readonly string[] | undefined;
  /** Returns the session in the header `Cookie`; `undefined` if there is no valid one. */
  open(cookie: string | undefined): Session | undefined;
  /** Returns true if the header contains any part of a session, of any key. */
  has(cookie: string | undefined): boolean;
  /** Returns the values of `Set-Cookie` that remove the session from the browser. */
  remove(): readonly string[];
}

/** The minimum length of the secret, in bytes. */
export const minimumKeyLength = 32;

/** The maximum length of a part. Browsers store at most 4,096 bytes of name and value together. */
const partLength = 3_800;
/** The maximum number of parts. All parts together fit into the headers of one request. */
const maximumParts = 4;

const cipher = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/**
 * Stores sessions in cookies, encrypted and authenticated with AES-256-GCM. So every replica with
 * the same secret can read them, and no replica stores them.
 *
 * The key is derived with HKDF from the secret and the public URL, so a cookie of another
 * dashboard with the same secret is not accepted. A session that is longer than one cookie is
 * split. The first part starts with the number of parts.
 *
 * A second cookie, which scripts of the page can read, contains the name of the session. With it,
 * tabs of one viewer never receive objects that were read for another one. It reveals nothing.
 *
 * **Guarantees**: `open` returns only what `seal` has encrypted with the same secret and the same
 * public URL. Any changed, missing, exchanged or repeated part makes the session invalid.
 * **Does not guarantee**: that a session has not ended. The caller compares `until`.
 *
 * @throws if the secret is too short
 */
export function sessionCookies({ sessionKey, publicUrl }: SessionCookiesOptions): SessionCookies {
  if (sessionKey.length < minimumKeyLength) throw new Error(`the session key needs ${minimumKeyLength} bytes or more`);
  const key = Buffer.from(hkdfSync('sha256', sessionKey, '', `rx-informers dashboard session of ${publicUrl}`, 32));
  const base = baseOf(publicUrl);
  const nameOf = (part: number): string => `${base}-session-${part}`;
  const removal = (name: string): string => `${name}=; ${attributes}; Max-Age=0`;

  return {
    seal(session) {
      const sealed = encrypt(key, JSON.stringify(session));
      const parts = sealed.match(new RegExp(`.{1,${partLength}}`, 'g')) ?? [];
      if (parts.length > maximumParts) return undefined;
      const cookies = parts.map((part, index) => `${nameOf(index)}=${index === 0 ? `${parts.length}.` : ''}${part}`);
      return [
        ...cookies.map((cookie) => `${cookie}; ${attributes}`),
        ...partsFrom(parts.length).map((part) => removal(nameOf(part))),
        runCookie(publicUrl, session.id),
      ];
    },
    open(header) {
      const parts = partsFrom(0).map((part) => valuesOf(header, nameOf(part)));
      const [, count = '', first = ''] = /^([1-9])\.(.*)$/.exec(parts[0]?.[0] ?? '') ?? [];
      const used = parts.slice(0, Number(count));
      if (used.length === 0 || used.length !== Number(count) || used.some(({ length }) => length !== 1))
        return undefined;
      const text = decrypt(key, [first, ...used.slice(1).flat()].join(''));
      return text === undefined ? undefined : (JSON.parse(text) as Session);
    },
    has: (header) => partsFrom(0).some((part) => valuesOf(header, nameOf(part)).length > 0),
    remove: () => [...partsFrom(0).map((part) => removal(nameOf(part))), removal(`${base}-run`)],
  };
}

/**
 * Returns the value of `Set-Cookie` that tells scripts of the page the name of the session, or of
 * anything else that is different for each viewer.
 */
export function runCookie(publicUrl: string, id: string): string {
  return `${baseOf(publicUrl)}-run=${id}; Path=/; Secure; SameSite=Strict`;
}

/** Returns how the names of the cookies begin. All ports of a host share their cookies. */
function baseOf(publicUrl: string): string {
  return `__Host-rx-informers-dashboard-${new URL(publicUrl).port}`;
}

function partsFrom(first: number): readonly number[] {
  return Array.from({ length: maximumParts - first }, (_, index) => first + index);
}

function valuesOf(header: string | undefined, name: string): readonly string[] {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

function encrypt(key: Buffer, text: string): string {
  const nonce = randomBytes(nonceLength);
  const stage = createCipheriv(cipher, key, nonce);
  const encrypted = Buffer.concat([stage.update(text, 'utf8'), stage.final()]);
  return Buffer.concat([nonce, stage.getAuthTag(), encrypted]).toString('base64url');
}

function decrypt(key: Buffer, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  // Base64 has several texts for the same bytes. Only the one that `encrypt` writes is accepted.
  if (bytes.length <= nonceLength + tagLength || bytes.toString('base64url') !== sealed) return undefined;
  const stage = createDecipheriv(cipher, key, bytes.subarray(0, nonceLength), { authTagLength: tagLength });
  stage.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
  try {
    return Buffer.concat([stage.update(bytes.subarray(nonceLength + tagLength)), stage.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
