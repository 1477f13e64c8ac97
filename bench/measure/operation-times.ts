/** How many operations there are. */
export interface OperationTimesOptions {
  /** Before the first that counts. */
  readonly warmUp: number;
  readonly operations: number;
}

/** How long each of many operations takes, in microseconds; `prepare` makes its input, and is not timed. */
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
