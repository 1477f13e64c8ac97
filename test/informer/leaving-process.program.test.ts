import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createApiServer } from 'rx-informers/testing';

describe('a process whose last subscriber has unsubscribed', () => {
  const run = async (...input: readonly string[]) => {
    const script = fileURLToPath(new URL('./support/leave-and-exit.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...input], {
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
