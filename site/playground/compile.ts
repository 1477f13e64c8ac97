import { transform } from 'sucrase';

/** Returns TypeScript code without its types. Line numbers do not change. */
export function compile(code: string): string {
  return transform(code, { transforms: ['typescript'], disableESTransforms: true }).code;
}
