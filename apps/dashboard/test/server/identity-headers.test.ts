import fc from 'fast-check';
import { identify, isGroupName, isUserName, secretHeader, type Identification } from '../../server/identity-headers.js';
import { identity } from './identity.js';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Returns the sender of a request with these headers and the secret, as Node reads their bytes. */
function senderOf(headers: Headers): Identification {
  const distinct = Object.entries({ [secretHeader]: identity.secret, ...headers }).map(
    ([name, values]) => [name, [values].flat().map((value) => Buffer.from(value).toString('latin1'))] as const,
  );
  return identify({ headersDistinct: Object.fromEntries(distinct) }, identity);
}

const user = (name: string | readonly string[]): Identification => senderOf({ 'x-forwarded-email': name });
const groups = (list: string | readonly string[]): Identification =>
  senderOf({ 'x-forwarded-email': 'ada', 'x-forwarded-groups': list });

describe('the identity headers of a proxy', () => {
  it('name the user, with the groups that the server was started for', () => {
    expect(groups('finance, developers,domain users , ,developers')).toEqual({
      type: 'identified',
      identity: { user: 'ada', groups: ['developers', 'domain users'] },
    });
    expect(user('ada')).toEqual({ type: 'identified', identity: { user: 'ada', groups: [] } });
  });

  it.each([
    'ada@example.com',
    'auth0|5f7c',
    'https://issuer.example.com#ada',
    'ada+1@example.com',
    'a',
    'x'.repeat(256),
  ])('may have the user %j', (name) => {
    expect(user(name)).toEqual({ type: 'identified', identity: { user: name, groups: [] } });
  });

  it.each<[string, string | readonly string[]]>([
    ['no secret', []],
    ['an empty secret', ''],
    ['a wrong secret', 'the-secret-of-the-proxy-is-long-enougH'],
    ['the beginning of the secret', identity.secret.slice(0, -1)],
    ['the secret with more behind it', `${identity.secret}x`],
    ['the secret twice', [identity.secret, identity.secret]],
    ['the secret and another one', ['x', identity.secret]],
    ['the secret in a joined header', `x, ${identity.secret}`],
    ['the secret in quotes', `"${identity.secret}"`],
  ])('with %s count for nothing', (_, secret) => {
    const headers = { [secretHeader]: secret, 'x-forwarded-email': 'ada', 'x-forwarded-groups': 'developers' };
    expect(senderOf(headers)).toEqual({ type: 'unknown' });
    // Not even to refuse them.
    expect(senderOf({ ...headers, 'x-forwarded-email': 'system:admin' })).toEqual({ type: 'unknown' });
  });

  it('without a user leave the sender unknown', () => {
    expect([senderOf({}), user(''), senderOf({ 'x-forwarded-groups': 'developers' })].map(({ type }) => type)).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
  });

  it('of another name count for nothing', () => {
    const others = ['x_forwarded_email', 'x-forwarded-user', 'x-remote-user', 'remote-user', 'impersonate-user'];
    expect(senderOf(Object.fromEntries(others.map((name) => [name, 'ada'])))).toEqual({ type: 'unknown' });
  });

  /** Names that some program on the way to the rights of a user might read as `system:masters`. */
  const ofSystem = [
    'system:masters',
    'System:Masters',
    'SYSTEM:MASTERS',
    ' system:masters',
    '\tsystem:masters',
    'system :masters',
    's ystem:masters',
    '\u00a0system:masters',
    '\u2003system:masters',
    '\u200bsystem:masters',
    '\ufeffsystem:masters',
    'sys\u00adtem:masters',
    '\u202esystem:masters',
    'ｓｙｓｔｅｍ:masters',
    'system：masters',
    'ſystem:masters',
    '𝐬𝐲𝐬𝐭𝐞𝐦:masters',
    'system:',
    'system:admin',
    'system:node:n1',
    'system:serviceaccount:kube-system:default',
    'system:anonymous',
  ];

  it.each(ofSystem)('with the user or the group %j are refused', (name) => {
    expect(user(name).type).toBe('refused');
    expect(groups(name).type).toBe('refused');
    expect(groups(`developers,${name}`).type).toBe('refused');
    expect(groups(`developers, ,${name},operators`).type).toBe('refused');
    expect([isUserName(name), isGroupName(name)]).toEqual([false, false]);
  });

  it.each([
    'ada,grace',
    'ada, grace',
    'ada grace',
    ' ',
    'ada\u0000',
    'ada\nImpersonate-Group: system:masters',
    'ada;q=1',
    '"ada"',
    'ada\\',
    'ada%0a',
    'ѕystem:masters',
    'adа',
    'x'.repeat(257),
  ])('with the user %j are refused', (name) => {
    expect(user(name).type).toBe('refused');
  });

  it('that occur twice are refused, also if they agree', () => {
    expect(user(['ada', 'ada']).type).toBe('refused');
    expect(user(['', 'ada']).type).toBe('refused');
    expect(groups(['developers', 'developers']).type).toBe('refused');
    expect(groups(['', 'developers']).type).toBe('refused');
  });

  it('with too many or too long groups are refused', () => {
    const list = (count: number): string => Array.from({ length: count }, (_, index) => `g${index}`).join();
    expect(groups(`developers,${list(199)}`)).toMatchObject({ identity: { groups: ['developers'] } });
    expect(groups(list(201)).type).toBe('refused');
    expect(groups('x'.repeat(8_193)).type).toBe('refused');
    expect(groups(`${list(100_000)},system:masters`).type).toBe('refused');
  });

  it('never result in a group that the server was not started for, or in a user of system:', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...ofSystem, ...identity.groups, 'ada', ','));
    fc.assert(
      fc.property(fc.array(text), fc.array(text, { minLength: 1, maxLength: 3 }), (names, users) => {
        const result = senderOf({ 'x-forwarded-email': users.join(''), 'x-forwarded-groups': names.join() });
        if (result.type !== 'identified') return;
        expect(result.identity.groups.every((group) => identity.groups.includes(group))).toBe(true);
        expect(result.identity.user).toMatch(/^(?!system:)[!-~]+$/i);
      }),
      { numRuns: 300 },
    );
  });
});
