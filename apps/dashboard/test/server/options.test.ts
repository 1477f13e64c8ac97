import { jest } from '@jest/globals';
import { parseOptions } from '../../server/options.js';

describe('the options of the dashboard', () => {
  function parse(...words: string[]): ReturnType<typeof parseOptions> {
    return parseOptions(['node', 'dashboard', ...words]);
  }

  it('by default allow only reading, from an embedded cluster', () => {
    expect(parse()).toEqual({ allowWrites: false, secrets: false, port: 8080, nodes: 12, pods: 500, rate: 20 });
    expect(parse('--kubeconfig', 'a', '--context', 'b', '--allow-writes', '--port', '0', '--page', 'c')).toMatchObject({
      kubeconfig: 'a',
      context: ['b'],
      allowWrites: true,
      port: 0,
      page: 'c',
    });
  });

  it('may name several contexts, the first of which is at the root, and one namespace', () => {
    expect(parse('--context', 'a', '--context', 'b', '--namespace', 'shop', '--secrets')).toMatchObject({
      context: ['a', 'b'],
      namespace: 'shop',
      secrets: true,
    });
  });

  it('for a team name the public origin, and may name the address, the key and the hours of a session', () => {
    const words = ['--listen', '0.0.0.0', '--session-key-file', 'k', '--session-hours', '0.5', '--hub'];
    expect(parse('--public-url', 'https://dash.example.com/', '--context', 'a', ...words)).toMatchObject({
      publicUrl: 'https://dash.example.com',
      listen: '0.0.0.0',
      sessionKeyFile: 'k',
      sessionHours: 0.5,
      hub: true,
    });
  });

  it('for a proxy name its headers, its secret and the groups that count', () => {
    const words = ['--identity-headers', 'X-Forwarded-Email,X-Forwarded-Groups', '--identity-secret-file', 'k'];
    const groups = ['--identity-groups', 'developers, domain users,developers'];
    expect(parse('--public-url', 'https://dash.example.com', ...words, ...groups)).toMatchObject({
      identityHeaders: ['x-forwarded-email', 'x-forwarded-groups'],
      identitySecretFile: 'k',
      identityGroups: ['developers', 'domain users'],
    });
  });

  it.each(
    [
      ['--listen', '0.0.0.0'],
      ...[
        ['--identity-headers', 'x-user'],
        ['--identity-secret-file', 'k'],
        ['--identity-groups', 'a'],
      ].flatMap((words) => [words, ['--public-url', 'https://a.example', ...words]]),
      ...[
        ['x-user', '--identity-groups', 'a'],
        ['x-user,x-groups'],
        ['x-user,x-groups', '--identity-groups', 'a,system:masters'],
        ['x-user,x-groups', '--identity-groups', ' System:masters'],
        ['x-user,x-groups', '--identity-groups', ''],
        ['x-user,x-groups', '--identity-groups', 'a,,b'],
        ['x-user,x-user', '--identity-groups', 'a'],
        ['x-user,x-groups,x-more', '--identity-groups', 'a'],
        ['x_user'],
        ['x-user:'],
        [''],
        ['X-Rx-Informers-Proxy-Secret'],
        ['x-user', '--session-key-file', 'k'],
        ['x-user', '--session-hours', '1'],
      ].map((words) => [
        ...['--public-url', 'https://a.example', '--identity-secret-file', 'k', '--identity-headers'],
        ...words,
      ]),
      ['--session-key-file', 'k'],
      ['--session-hours', '1'],
      ['--hub'],
      ['--public-url', 'http://dash.example.com'],
      ['--public-url', 'https://dash.example.com/path'],
      ['--public-url', 'https://user@dash.example.com'],
      ['--public-url', 'https://dash.example.com/?a'],
      ['--public-url', 'dash.example.com'],
      ['--public-url', 'https://a.example', '--session-hours', '0'],
      ['--public-url', 'https://a.example', '--session-hours', '200'],
      ['--public-url', 'https://a.example', '--context', 'a', '--context', 'b'],
      ['--port', '70000'],
      ['--port', '-1'],
      ['--port', ''],
      ['--pods', '0'],
      ['--rate', 'many'],
      ['--host', '0.0.0.0'],
    ].map((words) => [words]),
  )('the options refuse %j', (words) => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${String(code)}`);
    });
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);

    expect(() => parse(...words)).toThrow('exit 1');

    expect(String(write.mock.calls[0]?.[0])).toMatch(/^error: /);
    exit.mockRestore();
    write.mockRestore();
  });
});
