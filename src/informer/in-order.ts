/**
 * Returns `deliver` with its order kept: a value that a receiver causes while it receives another
 * one is delivered when all receivers have had that one. Without it, receivers further down the line
 * would get the later value first.
 */
export function inOrder<T>(deliver: (value: T) => void): (value: T) => void {
  const waiting: T[] = [];
  let isDelivering = false;
  return (value) => {
    waiting.push(value);
    if (isDelivering) return;
    isDelivering = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) deliver(next);
    } finally {
      isDelivering = false;
    }
  };
}
