import { deployments, services, StatusError } from 'rx-informers';
import { defer, lastValueFrom, retry, throwError, timer } from 'rxjs';
import { websites } from '../../website-operator/website.js';
import type { OperatorForm } from './forms.js';
import type { Stage } from './stage.js';

export interface BurstOptions {
  readonly random: () => number;
  readonly form: OperatorForm;
  readonly writes: number;
}

/**
 * Simulates several people who write at random to websites of their own. They create, change
 * (sometimes to an invalid spec) and delete them, and they change objects and fields that the
 * operator writes. Returns the names of the websites that exist at the end, in order.
 */
export async function burst(stage: Stage, { random, form, writes }: BurstOptions): Promise<readonly string[]> {
  const writers = 4;
  const existing = new Set<string>();
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const spec = (): object => ({
    image: form.isComplete && random() < 0.1 ? 'no image' : oneOf(['nginx:1.28', 'nginx:1.29', 'httpd:2.4']),
    replicas: oneOf([0, 1, 2, 3]),
    port: oneOf([80, 8080]),
  });
  const interferences: readonly ((name: string) => Promise<void>)[] = [
    (name) => stage.kubectl.patch(deployments, name, { spec: { replicas: 9 } }),
    (name) => stage.kubectl.patch(websites, name, { metadata: { labels: { round: String(random()) } } }),
    (name) => stage.kubectl.remove(deployments, name),
    ...(form.isComplete
      ? [(name: string) => stage.kubectl.patch(services, name, { spec: { selector: { app: 'other' } } })]
      : []),
  ];

  const write = async (name: string): Promise<void> => {
    if (!existing.has(name)) {
      existing.add(name);
      const fields = { spec: spec() };
      await untilItGoes(() => stage.user.create(websites, name, fields));
      return;
    }
    const dice = random();
    if (dice < 0.3) {
      existing.delete(name);
      await stage.user.remove(websites, name);
    } else if (dice < 0.7) await stage.user.patch(websites, name, { spec: spec() });
    else await oneOf(interferences)(name).catch(unlessItIsNotThere);
  };
  const writer = async (number: number): Promise<void> => {
    for (let done = 0; done < writes / writers; done += 1)
      await write(`w${number}-${oneOf(['a', 'b', 'c', 'd', 'e'])}`);
  };
  await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)));
  return [...existing].sort();
}

/** Repeats a create while the API server still has the deleted object with the same name. */
function untilItGoes(write: () => Promise<void>): Promise<void> {
  const delay = (error: unknown) =>
    error instanceof StatusError && error.reason === 'AlreadyExists' ? timer(20) : throwError(() => error);
  return lastValueFrom(defer(write).pipe(retry({ delay })));
}

/** Ignores the error if the operator has not created the object yet. */
function unlessItIsNotThere(error: unknown): void {
  const isNotFound = error instanceof StatusError ? error.statusCode === 404 : String(error).includes('NotFound');
  if (!isNotFound) throw error;
}
