import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createApiServer } from 'rx-informers/testing';

describe('a process whose last subscriber has left', () => {
  const run = async (...given: readonly string[]) => {
    const script = fileURLToPath(new URL('./support/leave-and-exit.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const [code] = (await once(child, 'exit')) as [number];
    // The script prints how long it lived after it had left.
    return { code, lived: Number(output) };
  };

  it('exits when the informer has lingered, though its watch is open', async () => {
    const server = await createApiServer();
    try {
      const { code, lived } = await run(server.url);
      expect(code).toBe(0);
      expect(lived).toBeGreaterThan(500);
      expect(lived).toBeLessThan(5_000);
    } finally {
      await server.close();
    }
  });

  it('exits at once after stop(), and where lingering is all that is left to do', async () => {
    const server = await createApiServer();
    try {
      const stopped = await run(server.url, 'stop');
      const alone = await run('none');
      expect([stopped.code, alone.code]).toEqual([0, 0]);
      expect(Math.max(stopped.lived, alone.lived)).toBeLessThan(800);
    } finally {
      await server.close();
    }
  });
});
