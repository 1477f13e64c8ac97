/** Every kind that is built into Kubernetes: its descriptor, and the type of its objects. */
export * from './kubernetes/resources/everyday.js';
export * from './kubernetes/resources/other.js';
