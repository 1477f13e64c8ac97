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

/** React complains on the console; a test that it complains in fails, unless it has said so. */
export function expectComplaints(): void {
  isExpected = true;
}
