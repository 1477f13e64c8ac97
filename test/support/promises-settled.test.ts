import { promisesSettled } from './promises-settled.js';

describe('promisesSettled of the test support', () => {
  it('waits for a chain of any length', async () => {
    let passed = 0;
    const chain = async (): Promise<void> => {
      while (passed < 10_000) passed = await Promise.resolve(passed + 1);
    };
    void chain();

    await promisesSettled();

    expect(passed).toBe(10_000);
  });
});
