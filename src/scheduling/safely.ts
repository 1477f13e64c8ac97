/** Receives the error of a callback, and the name of the callback, such as `metrics.started`. */
export type CallbackFailed = (name: string, error: unknown) => void;

/**
 * Calls a user's callback and returns its result. If it throws, the error is reported and `instead`
 * is returned, because it must not stop the code that calls it (G5).
 */
export interface Safely {
  (name: string, callback: () => void): void;
  <Result>(name: string, callback: () => Result, instead: Result): Result;
}

/** Returns a function that calls callbacks and reports their errors to `failed`. */
export function safely(failed: CallbackFailed): Safely {
  return <Result>(name: string, callback: () => Result, instead?: Result): Result => {
    try {
      return callback();
    } catch (error) {
      failed(name, error);
      return instead as Result;
    }
  };
}

/** Like `safely`, but reports only the first error of each callback: it may always fail. */
export function safelyOnce(failed: CallbackFailed): Safely {
  const reported = new Set<string>();
  return safely((name, error) => {
    if (reported.has(name)) return;
    reported.add(name);
    failed(name, error);
  });
}

/** Calls callbacks whose errors cannot be reported anywhere. */
export const silently: Safely = /*#__PURE__*/ safely(() => undefined);

/**
 * Returns methods that call those of `methods`. A method that is missing does nothing. Errors are
 * reported under a name such as `metrics.started`.
 */
export function safeMethods<Methods extends object>(
  option: string,
  methods: Partial<Methods>,
  names: readonly (keyof Methods & string)[],
  call: Safely,
): Methods {
  const callable = methods as Readonly<Record<string, ((...args: readonly unknown[]) => void) | undefined>>;
  const safe = names.map((name) => {
    const fullName = `${option}.${name}`;
    const method = (...args: readonly unknown[]): void => {
      call(fullName, () => callable[name]?.(...args));
    };
    return [name, method];
  });
  return Object.fromEntries(safe) as Methods;
}

/** Returns numbers in [0, 1). If `random` throws, or returns any other value, it is 0.5. */
export function safeRandom(random: () => number, call: Safely): () => number {
  return () => {
    const drawn = call('random', random, 0.5);
    return drawn >= 0 && drawn < 1 ? drawn : 0.5;
  };
}
