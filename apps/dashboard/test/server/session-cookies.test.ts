import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { sessionCookies, type Session } from '../../server/session-cookies.js';

const sessionKey = randomBytes(32);
const publicUrl = 'https://dash.example.com';
const cookies = sessionCookies({ sessionKey, publicUrl });
const session: Session = { id: 'a1', token: 'the-token', user: 'ada', until: 1_000 };

/** Returns the header `Cookie` that a browser sends after it has received these cookies. */
function headerAfter(...answers: readonly (readonly string[] | undefined)[]): string {
  const jar = new Map<string, string>();
  for (const cookie of answers.flatMap((answer) => answer ?? [])) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (cookie.endsWith('Max-Age=0')) jar.delete(name);
    else jar.set(name, value);
  }
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

const tokenOf = (length: number): string => 'x'.repeat(length);

describe('the cookies of a session', () => {
  it('return the session with its token, user and end, for tokens of any length that fits', () => {
    fc.assert(
      fc.property(
        fc.record({
          id: fc.string(),
          token: fc.integer({ min: 1, max: 10_500 }).map(tokenOf),
          user: fc.option(fc.string()),
          until: fc.nat(),
        }),
        (each) => {
          expect(cookies.open(headerAfter(cookies.seal(each)))).toEqual(each);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('are sent over TLS only, by pages of this origin only, and are hidden from scripts', () => {
    const [first, ...others] = cookies.seal(session) ?? [];
    expect(first).toMatch(
      /^__Host-rx-informers-dashboard--session-0=1\.[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    // Scripts may read only the name of the session, which is not a secret.
    expect(others.filter((cookie) => !cookie.includes('HttpOnly'))).toEqual([
      '__Host-rx-informers-dashboard--run=a1; Path=/; Secure; SameSite=Strict',
    ]);
  });

  it('contain neither the token nor the user in a readable form', () => {
    const header = headerAfter(cookies.seal(session));
    const decoded = header.split(/[=.; ]/).map((text) => Buffer.from(text, 'base64url').toString('latin1'));
    expect([header, ...decoded].some((text) => /the-token|ada/.test(text))).toBe(false);
  });

  it('differ each time, also for the same session', () => {
    expect(cookies.seal(session)?.[0]).not.toBe(cookies.seal(session)?.[0]);
  });

  it('are invalid after any change of a character, and after any loss at the end', () => {
    const header = headerAfter(cookies.seal(session));
    const start = header.indexOf('1.');
    const end = header.indexOf(';');
    for (let at = start; at < end; at += 1) {
      const other = header[at] === 'A' ? 'B' : 'A';
      expect([at, cookies.open(header.slice(0, at) + other + header.slice(at + 1))]).toEqual([at, undefined]);
      expect([at, cookies.open(header.slice(0, at))]).toEqual([at, undefined]);
    }
    expect(cookies.open(header.replace(';', 'A;'))).toBeUndefined();
  });

  it.each([
    ['another key', { sessionKey: randomBytes(32), publicUrl }],
    ['another public URL and the same key', { sessionKey, publicUrl: 'https://other.example.com' }],
  ])('of a server with %s are refused', (_, options) => {
    expect(cookies.open(headerAfter(sessionCookies(options).seal(session)))).toBeUndefined();
  });

  it('of a replica with the same key and public URL are accepted', () => {
    const replica = sessionCookies({ sessionKey: Buffer.from(sessionKey), publicUrl });
    expect(cookies.open(headerAfter(replica.seal(session)))).toEqual(session);
  });

  it('are split so that a browser stores each of them, and are whole only with all parts, each once', () => {
    const long = { ...session, token: tokenOf(8_000) };
    const sealed = cookies.seal(long) ?? [];
    const header = headerAfter(sealed);
    const pairs = header.split('; ');
    const parts = pairs.filter((pair) => pair.includes('-session-'));

    expect(parts).toHaveLength(3);
    expect(parts.every((part) => part.length <= 4_096)).toBe(true);
    expect(cookies.open(header)).toEqual(long);
    expect(cookies.open([...pairs].reverse().join('; '))).toEqual(long);
    for (const part of parts) {
      expect(cookies.open(pairs.filter((pair) => pair !== part).join('; '))).toBeUndefined();
      expect(cookies.open([...pairs, part].join('; '))).toBeUndefined();
    }
    expect(cookies.open(header.replace('session-1=', 'x=').replace('session-2=', 'session-1='))).toBeUndefined();
    expect(cookies.open(header.replace('=3.', '=2.'))).toBeUndefined();
  });

  it('of two sessions cannot be combined', () => {
    const [a, b] = ['a', 'b'].map((id) => headerAfter(cookies.seal({ ...session, id, token: tokenOf(8_000) })));
    const mixed = `${a?.split('; ')[0] ?? ''}; ${b?.split('; ').slice(1).join('; ') ?? ''}`;
    expect(cookies.open(mixed)).toBeUndefined();
  });

  it('replace all parts of a longer session', () => {
    const header = headerAfter(cookies.seal({ ...session, token: tokenOf(10_000) }), cookies.seal(session));
    expect(header.match(/session-/g)).toHaveLength(1);
    expect(cookies.open(header)).toEqual(session);
  });

  it('are removed completely', () => {
    expect(headerAfter(cookies.seal({ ...session, token: tokenOf(10_000) }), cookies.remove())).toBe('');
  });

  it('do not exist for a session that does not fit', () => {
    expect(cookies.seal({ ...session, token: tokenOf(11_500) })).toBeUndefined();
  });

  it.each(['', 'a=b', '__Host-rx-informers-dashboard--session-0=', '__Host-rx-informers-dashboard--session-0=9.AAAA'])(
    'are not found in %j',
    (header) => {
      expect(cookies.open(header)).toBeUndefined();
    },
  );

  it('have other names for each port, because all ports of a host share their cookies', () => {
    const other = sessionCookies({ sessionKey, publicUrl: 'https://dash.example.com:8443' });
    expect(other.seal(session)?.[0]).toMatch(/^__Host-rx-informers-dashboard-8443-session-0=/);
  });

  it('need a secret of 32 bytes', () => {
    expect(() => sessionCookies({ sessionKey: randomBytes(31), publicUrl })).toThrow('32 bytes');
  });
});
