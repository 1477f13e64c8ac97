import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { bundledProgram } from '../../../test/support/bundled-program.js';

// A process of its own needs some seconds to begin on a busy machine.
jest.setTimeout(60_000);

const main = bundledProgram('examples/pods-by-node/main.ts');

describe('npm start', () => {
  it('prints lines for nodes and apps if its output is piped, until a signal ends it', async () => {
    const program = start('--nodes', '2', '--pods', '12');
    await program.printed(/^\S+Z node worker-1: \d+ pods, \d+ running, .* CPU requested, zone-a$/m);
    await program.printed(/^\S+Z app \w+: \d+ pods, \d+ running, .* CPU requested$/m);
    program.signal('SIGTERM');
    const { code, output, complaints } = await program.ended;

    expect(output).toMatch(/^an embedded API server at \S+: 2 nodes, about 12 pods, 20 changes\/s\n/);
    expect(output).toMatch(/\nstopped\n$/);
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
  });

  it('stops after the duration', async () => {
    const { code, output } = await start('--duration', '0.5s').ended;

    expect(output).toMatch(/\nstopped\n$/);
    expect(code).toBe(0);
  });

  it('describes its options', async () => {
    const { code, output } = await start('--help').ended;

    expect(output).toMatch(/^Usage: pods-by-node \[options\]\n/);
    for (const option of ['--kubeconfig <file>', '--context <name>', '-n, --namespace <name>', '--duration <time>'])
      expect(output).toContain(`\n  ${option}`);
    for (const option of ['--nodes <count>', '--pods <count>', '--rate <count>', '-h, --help'])
      expect(output).toContain(`\n  ${option}`);
    expect(code).toBe(0);
  });

  it.each([
    { parameters: ['--duration', 'soon'], message: "'--duration' argument 'soon' is invalid. use a time such as 10s" },
    { parameters: ['--duration', '0s'], message: "'--duration' argument '0s' is invalid. use a time such as 10s" },
    { parameters: ['--nodes', '0'], message: "'--nodes' argument '0' is invalid. use a whole number of at least 1" },
    { parameters: ['--rate=-1'], message: "'--rate' argument '-1' is invalid. use a whole number of at least 1" },
    { parameters: ['--duration'], message: "'--duration <value>' argument missing" },
    { parameters: ['--speed', '3'], message: "Unknown option '--speed'" },
    { parameters: ['now'], message: "Unexpected argument 'now'" },
    { parameters: ['--kubeconfig', '/nowhere/config'], message: 'cannot open the cluster: ENOENT' },
  ])('reports an invalid option in one line: $parameters', async ({ parameters, message }) => {
    const { code, output, complaints } = await start(...parameters).ended;

    expect(complaints).toContain(message);
    expect(complaints.trim().split('\n')).toHaveLength(1);
    expect({ code, output }).toEqual({ code: 1, output: '' });
  });
});

function start(...parameters: readonly string[]) {
  const child = spawn(process.execPath, [main, ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
  const complaints = text(child.stderr);
  return {
    /** Resolves when the output so far matches. */
    async printed(pattern: RegExp): Promise<void> {
      while (!pattern.test(output)) await once(child.stdout, 'data');
    },
    signal: (name: NodeJS.Signals): void => void child.kill(name),
    ended: once(child, 'close').then(async ([code]) => ({
      code: code as number | null,
      output,
      complaints: await complaints,
    })),
  };
}
