import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createApiServer } from 'rx-informers/testing';
import { bundledProgram } from '../support/bundled-program.js';

describe('a process whose last subscriber has unsubscribed', () => {
  const script = bundledProgram('test/informer/support/leave-and-exit.ts');
  const run = async (...input: readonly string[]) => {
    const child = spawn(process.execPath, [script, ...input], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const [code] = (await once(child, 'exit')) as [number];
    // The script prints how long it ran after it had unsubscribed.
    return { code, lived: Number(output) };
  };

  it('exits after the linger time, although a watch is open', async () => {
    const server = await createApiServer();
    try {
      const { code, lived } = await run(server.url);
      expect(code).toBe(0);
      expect(lived).toBeGreaterThan(500);
      // The watch would stay open for minutes.
      expect(lived).toBeLessThan(25_000);
    } finally {
      await server.close();
    }
  });

  it('exits at once after stop(), and if only the linger timer is left', async () => {
    const server = await createApiServer();
    try {
      const stopped = await run(server.url, 'stop');
      const alone = await run('none');
      expect([stopped.code, alone.code]).toEqual([0, 0]);
      expect(Math.max(stopped.lived, alone.lived)).toBeLessThan(25_000);
    } finally {
      await server.close();
    }
  });
});
