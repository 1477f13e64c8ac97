import { simulate, type SimulateOptions } from 'rx-informers/testing';

/** Returns the error of a simulation, and fails if there is none. */
export async function failureOf(options: SimulateOptions) {
  const error: unknown = await simulate(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error as { readonly kind: string; readonly schedule: readonly string[]; readonly message: string };
}
