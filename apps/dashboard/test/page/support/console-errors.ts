import { jest } from '@jest/globals';

/*
 * Fails a test during which an error was written to the console. React logs errors to the console.
 */
const errors: unknown[][] = [];

beforeEach(() => {
  errors.length = 0;
  jest.spyOn(console, 'error').mockImplementation((...parts) => void errors.push(parts));
});

afterEach(() => {
  jest.restoreAllMocks();
  expect(errors).toEqual([]);
});
