import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

describe('the descriptors of built-in kinds', () => {
  it('are those that the generator writes from the installed client-node, like the table of the embedded API server', async () => {
    const generate = ['--import', 'tsx', 'scripts/generate-resources.ts', '--check'];
    await expect(promisify(execFile)(process.execPath, generate)).resolves.toBeDefined();
  }, 60_000);
});
