/** The number of operations. */
export interface OperationTimesOptions {
  /** The number of operations before the first one that counts. */
  readonly warmUp: number;
  readonly operations: number;
}

/**
 * Returns the time of each of many operations, in microseconds. `prepare` makes the input of an
 * operation, and its time does not count.
 */
export function operationTimes<Input>(
  prepare: () => Input,
  operation: (input: Input) => void,
  { warmUp, operations }: OperationTimesOptions,
): readonly number[] {
  const times: number[] = [];
  for (let count = -warmUp; count < operations; count++) {
    const input = prepare();
    const start = performance.now();
    operation(input);
    if (count >= 0) times.push((performance.now() - start) * 1000);
  }
  return times;
}
