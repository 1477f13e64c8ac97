/** True also for an object of another realm (a frame, `structuredClone` in a test runner), whose prototype is another `Object.prototype`. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}
