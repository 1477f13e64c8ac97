import { jest } from '@jest/globals';

let isExpected = false;
const errors: unknown[][] = [];

beforeEach(() => {
  isExpected = false;
  errors.length = 0;
  jest.spyOn(console, 'error').mockImplementation((...parts) => void errors.push(parts));
});

afterEach(() => {
  jest.restoreAllMocks();
  if (!isExpected) expect(errors).toEqual([]);
});

/**
 * Allows errors on the console for the current test. React logs errors to the console, and a test
 * with an unexpected error fails.
 */
export function expectComplaints(): void {
  isExpected = true;
}
